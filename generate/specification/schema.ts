import { NOT_BLANK } from '../../shared/words.ts';

/** What the page calls a word. */
const WORD = '^[a-z][a-z0-9_-]*$';

/** The subset of JSON Schema that the contracts' fields use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly readOnly?: boolean;
  readonly default?: unknown;
  readonly description?: string;
}

/** By name. */
export type Schemas = Readonly<Record<string, Schema>>;

/** The name of the schema that a reference leads to. */
export const nameIn = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

/** A short description of a field's values: `text? 1–200`, where `?` says that it may be null. */
export function typeOf(schema: Schema): string {
  const types = [schema.type ?? []].flat();
  const kind = kindOf(
    schema,
    types.find((name) => name !== 'null'),
  );
  if (!types.includes('null')) return kind;
  return kind.startsWith('`') ? `${kind} or null` : kind.replace(/^\w+/, '$&?');
}

function kindOf(schema: Schema, type: string | undefined): string {
  const name = nameIn(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return jsonSchemaOf(schema.const);
  if (schema.enum !== undefined)
    return schema.enum
      .filter((value) => value !== null)
      .map(jsonSchemaOf)
      .join(', ');
  switch (type) {
    case 'string':
      return schema.pattern === WORD ? 'word' : (FORMATS[schema.format ?? ''] ?? textOf(schema));
    case 'integer':
      return `integer${rangeOf(schema.minimum, schema.maximum)}`;
    case 'number':
      return `number${rangeOf(schema.minimum, schema.maximum)}`;
    case 'array':
      return listOf(schema);
    case 'object':
      return 'object';
    default:
      return type ?? 'any JSON';
  }
}

const listOf = ({ items = {}, maxItems }: Schema): string =>
  `list${rangeOf(undefined, maxItems)} of ${items.type === 'object' ? 'objects' : typeOf(items)}`;

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  'date-time': 'time',
  'idn-email': 'email',
  uri: 'URL',
};

/** The description is clearer than a longer pattern. */
const READABLE = 40;

const textOf = ({ minLength, maxLength, pattern }: Schema): string =>
  [`text${rangeOf(minLength, maxLength)}`, ...(pattern === undefined ? [] : formOf(pattern))].join(', ');

function formOf(pattern: string): string[] {
  if (pattern === NOT_BLANK) return ['not blank'];
  return pattern.length > READABLE ? [] : [`\`${pattern}\``];
}

/** A value as JSON; strings have no quotation marks. */
export const jsonSchemaOf = (value: unknown): string =>
  `\`${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}\``;

function rangeOf(from: number | undefined, to: number | undefined): string {
  // The largest whole number of JSON is no bound that a reader needs.
  const most = to === undefined || to === Number.MAX_SAFE_INTEGER ? undefined : to.toLocaleString('en');
  if (from === undefined) return most === undefined ? '' : ` ≤ ${most}`;
  const least = from.toLocaleString('en');
  return most === undefined ? ` ≥ ${least}` : ` ${least}–${most}`;
}
