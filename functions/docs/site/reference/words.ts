import { NOT_BLANK } from '../../../../shared/words.ts';
import { nameIn, type Schema } from './document.ts';
import { code } from './text.ts';

/** A schema in words. HTML. */

/** A longer pattern explains nothing; the OpenAPI document has it. */
const LONGEST_PATTERN = 60;

const linkTo = (name: string): string => `<a href="#${name}">${name}</a>`;

/** `string or null`, `array of ClientRecord` with a link. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return linkTo(nameIn(schema.$ref));
  const types = [schema.type ?? 'any'].flat();
  return types
    .map((type) => (type === 'array' ? `array of ${typeOf(schema.items ?? {})}` : nameOf(type, schema)))
    .join(' or ');
}

function nameOf(type: string, { format, additionalProperties, properties }: Schema): string {
  if (type === 'string' && format !== undefined) return format;
  return type === 'object' && properties === undefined && additionalProperties === true ? 'JSON object' : type;
}

/** What else a value has to be: `1 to 200 characters`. */
export function constraintsOf(schema: Schema): readonly string[] {
  const { const: only, enum: closed, 'x-extensible-enum': open, items } = schema;
  if (only !== undefined) return [`always ${code(JSON.stringify(only))}`];
  if (closed !== undefined) return [`one of ${listOf(closed)}`];
  if (open !== undefined) return [`${listOf(open)}; later releases may add others`];
  return [
    ...sizes(schema),
    ...patternOf(schema),
    ...(schema.uniqueItems === true ? ['each once'] : []),
    ...(items === undefined || items.$ref !== undefined ? [] : constraintsOf(items).map((each) => `each: ${each}`)),
    ...('default' in schema ? [`default ${code(JSON.stringify(schema.default))}`] : []),
  ];
}

const listOf = (values: readonly unknown[]): string =>
  values
    .filter((value) => value !== null)
    .map((value) => code(String(value)))
    .join(', ');

/** The length of these follows from their format. */
const OF_FIXED_LENGTH: readonly (string | undefined)[] = ['uuid', 'date-time', 'date'];

function sizes({ type, format, minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): string[] {
  const [first] = [type].flat();
  const isText = first === 'string' && !OF_FIXED_LENGTH.includes(format);
  return [
    ...(isText ? rangeOf(minLength, maxLength, ' characters') : []),
    ...rangeOf(minimum, maximum, ''),
    ...rangeOf(minItems, maxItems, ' elements'),
  ];
}

function rangeOf(least: number | undefined, most: number | undefined, unit: string): string[] {
  const [from, to] = [least?.toLocaleString('en'), most?.toLocaleString('en')];
  if (to === undefined) return from === undefined ? [] : [`at least ${from}${unit}`];
  if (from === undefined) return [`up to ${to}${unit}`];
  return [from === to ? `${from}${unit}` : `${from} to ${to}${unit}`];
}

function patternOf({ pattern }: Schema): string[] {
  if (pattern === undefined) return [];
  if (pattern === NOT_BLANK) return ['not blank'];
  return pattern.length > LONGEST_PATTERN ? ['a pattern that the OpenAPI document has'] : [code(pattern)];
}
