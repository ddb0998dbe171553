import { type Route, referencesIn, uniqueFieldsOf } from '#contract';
import { keyText, trimmed } from '../../shared/words.ts';
import { upsertFields } from './batchable.ts';

/** What an operation is about, before it is carried out. */
interface About {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  /** Not checked yet. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The name of all privileged operations. They run one by one: each checks the caller's credentials at its commit. */
const PRIVILEGED = 'privileged';

/** Names the tenant, and no record in it. */
const TENANT = 'org_id';

/**
 * The records that an operation names: by their ids, in its parameters and in the references of its body, and by values
 * that are unique or by which they are upserted. Operations with a name in common are carried out in their order.
 * Nothing is read for it, so two that concern one record under different names are not ordered: a change of a client,
 * and a change of its service by the service's id.
 */
export const namesOf = ({ route, params, body }: About): readonly string[] => [
  ...(route.privileged ? [PRIVILEGED] : []),
  ...Object.entries(params).flatMap(([name, value]) => (name === TENANT ? [] : [idOr(route.params, name, value)])),
  ...(route.body === undefined ? [] : namesIn(route.body.schema, body)),
];

type Schema = Route['params'];

/** An id is a name wherever it stands, any other value only of this field. */
const idOr = (schema: Schema, field: string, value: string): string =>
  referencesIn(schema).has(field) ? value.toLowerCase() : `${field}=${trimmed(value)}`;

function namesIn(schema: Schema, body: About['body']): readonly string[] {
  const ids = [...referencesIn(schema).keys()].filter((field) => field !== TENANT);
  const unique = uniqueFieldsOf(schema);
  const naming = new Set([...unique.keys(), ...upsertFields()]);
  return [
    ...ids.flatMap((field) => ofText(body[field], (id) => id.toLowerCase())),
    ...ids.flatMap((field) => ofNames(body[field])),
    ...[...naming].flatMap((field) =>
      ofText(body[field], (value) => `${field}=${unique.get(field)?.normalize(value) ?? trimmed(value)}`),
    ),
  ];
}

const ofText = (value: unknown, name: (text: string) => string): string[] =>
  typeof value === 'string' ? [name(value)] : [];

/** A reference by a name is about the record that has the name, as its creation is: unique values are normalized. */
const ofNames = (reference: unknown): string[] =>
  Object.entries(Object(typeof reference === 'object' ? reference : undefined)).flatMap(([field, value]) =>
    ofText(value, (text) => text).flatMap((text) => [`${field}=${keyText(text)}`, `${field}=${trimmed(text)}`]),
  );
