import { NOT_BLANK } from '../../shared/blank.ts';

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

/** A short description of a field's values: `text, 1 to 200, or null`. */
export function typeOf(schema: Schema): string {
  const types = [schema.type ?? []].flat();
  const kind = kindOf(
    schema,
    types.find((name) => name !== 'null'),
  );
  return types.includes('null') ? `${kind}, or null` : kind;
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
      return FORMATS[schema.format ?? ''] ?? textOf(schema);
    case 'integer':
      return `whole number${rangeOf(schema.minimum, schema.maximum)}`;
    case 'number':
      return `number${rangeOf(schema.minimum, schema.maximum)}`;
    case 'array':
      return `list${rangeOf(undefined, schema.maxItems)}, of: ${typeOf(schema.items ?? {})}`;
    case 'object':
      return 'JSON object';
    default:
      return type ?? 'any JSON';
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  'date-time': 'time (ISO 8601)',
  'idn-email': 'email address',
  uri: 'http or https address',
};

/** The description is clearer than a longer pattern. */
const READABLE = 200;

/** Short descriptions of patterns. */
const IN_WORDS: Readonly<Record<string, string>> = { [NOT_BLANK]: 'not blank' };

const textOf = ({ minLength, maxLength, pattern }: Schema): string =>
  `text${rangeOf(minLength, maxLength)}${pattern === undefined || pattern.length > READABLE ? '' : `, ${formOf(pattern)}`}`;

const formOf = (pattern: string): string => IN_WORDS[pattern] ?? `\`${pattern.replaceAll('|', '\\|')}\``;

/** A value as JSON; strings have no quotation marks. */
export const jsonSchemaOf = (value: unknown): string =>
  `\`${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}\``;

function rangeOf(from: number | undefined, to: number | undefined): string {
  // The largest whole number of JSON is no bound that a reader needs.
  const most = to === undefined || to === Number.MAX_SAFE_INTEGER ? undefined : to.toLocaleString('en');
  if (from === undefined) return most === undefined ? '' : `, up to ${most}`;
  return `, ${from.toLocaleString('en')} ${most === undefined ? 'or more' : `to ${most}`}`;
}
