import type * as z from 'zod';
import { type Body, type Contract, type Route, referencesIn } from '#contract';
import { recordContracts } from '../../functions/record-contracts.ts';
import type { BatchOperation } from '../../packages/client/src/index.ts';

/** The kinds of records that can be imported: those whose creation a batch takes, as the contracts declare them. */

type Operation = BatchOperation['operation'];

export interface ImportKind {
  /** As `--type` names it: `ticket-message`. */
  readonly name: string;
  /** As `custodia export` and the OpenAPI document name it: `TicketMessage`. */
  readonly record: string;
  /** The operation that creates one, or with {@link upserting} may change it. */
  readonly operation: Operation;
  readonly route: Route;
  readonly body: Body;
  /** The parameter of its path or query, and the field that has its value: the ticket of a message. */
  readonly named: { readonly parameter: string; readonly field: string; readonly schema: z.ZodObject } | undefined;
  /** The fields that hold ids of records, each with the name of these records. */
  readonly references: ReadonlyMap<string, string>;
  /** Records of a level refer only to records of lower ones. */
  readonly level: number;
}

type Unlevelled = Omit<ImportKind, 'level'>;

const CREATE = /Create$/;

/** The kinds that these contracts declare, those first to which others refer. */
export function kindsIn(declared: readonly Contract[]): readonly ImportKind[] {
  const found = declared.flatMap(({ routes }) => Object.entries(routes).flatMap(kindOf));
  const levelOf = ({ record, references }: Unlevelled): number => {
    const others = found.filter((other) => other.record !== record && [...references.values()].includes(other.record));
    return Math.max(-1, ...others.map(levelOf)) + 1;
  };
  return found
    .map((kind) => ({ ...kind, level: levelOf(kind) }))
    .toSorted((one, other) => one.level - other.level || one.name.localeCompare(other.name));
}

function kindOf([operation, route]: readonly [string, Route]): Unlevelled[] {
  const { body, event, method, response } = route;
  if (event === undefined || body === undefined || method !== 'POST' || response.status !== 201) return [];
  if (!CREATE.test(body.name)) return [];
  const record = body.name.replace(CREATE, '');
  const [[parameter, parentRecord] = []] = referencesIn(route.params);
  const field = event.idField ?? 'id';
  const named = parameter === undefined ? undefined : { parameter, field, schema: route.params };
  const references = new Map(referencesIn(body.schema));
  if (named !== undefined && parentRecord !== undefined) references.set(field, parentRecord);
  return [{ name: wordsOf(record), record, operation: operation as Operation, route, body, named, references }];
}

/** `TicketMessage` is `ticket-message`. */
const wordsOf = (record: string): string => record.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();

export const importKinds: readonly ImportKind[] = kindsIn(recordContracts);

const upserts = new Map(
  recordContracts
    .flatMap(({ routes }) => Object.entries(routes))
    .flatMap(([operation, route]) =>
      route.upsert === undefined || route.body === undefined
        ? []
        : [
            [
              route.body.name.replace(/Upsert$/, ''),
              { operation: operation as Operation, route, by: route.upsert.by, body: route.body },
            ] as const,
          ],
    ),
);

/** Kinds whose records are changed where there is one with the same value of a field. */
export const upsertable = importKinds.filter(({ record }) => upserts.has(record)).map(({ name }) => name);

/** The kind with its upsert in place of its creation; undefined where it has none. */
export function upserting(kind: ImportKind): ImportKind | undefined {
  const upsert = upserts.get(kind.record);
  if (upsert === undefined) return undefined;
  const { by, ...found } = upsert;
  return { ...kind, ...found, named: { parameter: by, field: by, schema: found.route.query } };
}

/** Whether an operation may be carried out twice, also when its key is forgotten. */
export const isUpsert = ({ route }: ImportKind): boolean => route.upsert !== undefined;

/** Fields that an import leaves out of an export: it asks no runner to do what was done elsewhere. */
export const NOT_IMPORTED: ReadonlySet<string> = new Set(['org_id', 'run', 'scheduled_for']);

/** Fields without which a record of this name is for the whole organization, in place of a part of it. */
export const LIMITS: Readonly<Record<string, readonly string[]>> = {
  MaintenanceWindow: ['client_id', 'service_id', 'resource_id'],
  Membership: ['client_id'],
};

/** The fields of a line: that of the parameter first, then those of the body. */
export const fieldsOf = ({ named, body }: ImportKind): string[] => [
  ...new Set([...(named === undefined ? [] : [named.field]), ...Object.keys(body.schema.shape)]),
];
