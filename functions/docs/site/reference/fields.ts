import * as z from 'zod';
import { code, inlineText } from '../markdown.ts';
import { nameIn, type Schema } from './document.ts';
import { patternInWords } from './patterns.ts';

/** Tables of fields and parameters. */

/** A row. Its name has dots where it is a field of a field: `entries[].level`. */
export interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly description: string | undefined;
  /** `required`, `read-only`. */
  readonly marks: readonly string[];
  /** Default: none. */
  readonly id?: string;
}

/** Whether the record is sent, and so says what is required, or returned, and says what may be absent. */
export type Direction = 'sent' | 'returned';

/** Every field of an object, each with those of its own objects below it. */
export function rowsOf(schema: Schema, direction: Direction, prefix = ''): readonly Row[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const row = withExtensionMark({
      name: path,
      schema: field,
      description: field.description,
      marks: marksOf(field, required.has(name), direction),
    });
    return [row, ...innerRows(field, direction, path)];
  });
}

function innerRows(field: Schema, direction: Direction, path: string): readonly Row[] {
  if (field.properties !== undefined) return rowsOf(field, direction, `${path}.`);
  return field.items?.properties === undefined ? [] : rowsOf(field.items, direction, `${path}[].`);
}

const EXTENSION = /^Extends the specification: (.)/;

/** A mark in place of the words that begin the description of an extension. */
export const withExtensionMark = (row: Row): Row =>
  EXTENSION.test(row.description ?? '')
    ? {
        ...row,
        description: row.description?.replace(EXTENSION, (_, letter: string) => letter.toUpperCase()),
        marks: [...row.marks, 'extension'],
      }
    : row;

const marksOf = (field: Schema, isRequired: boolean, direction: Direction): readonly string[] => [
  ...(direction === 'sent' && isRequired ? ['required'] : []),
  ...(direction === 'sent' && field.readOnly === true ? ['read-only'] : []),
  ...(direction === 'returned' && !isRequired ? ['may be absent'] : []),
];

/** Name, type, constraints and description of each row; empty without rows. */
export function fieldTable(rows: readonly Row[], title: 'Field' | 'Parameter' | 'Header'): string {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => {
    const constraints = constraintsOf(row.schema).map((each) => `<span class="limit">${each}</span>`);
    return rowHtml(row, [typeOf(row.schema), ...constraints].join(' '), inlineText(row.description ?? ''));
  });
  return tableHtml([title, 'Type', 'Description'], lines);
}

function tableHtml(titles: readonly string[], rows: readonly string[]): string {
  const head = titles.map((title) => `<th scope="col">${title}</th>`).join('');
  return `<table class="fields"><thead><tr>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}

function rowHtml({ name, marks, id }: Pick<Row, 'name' | 'marks' | 'id'>, type: string, description: string): string {
  const marked = marks.map((mark) => ` <span class="mark ${mark.replaceAll(' ', '-')}">${mark}</span>`).join('');
  const cells = `<th scope="row">${code(name)}${marked}</th><td class="type">${type}</td>`;
  return `<tr${id === undefined ? '' : ` id="${id}"`}>${cells}<td>${description}</td></tr>`;
}

const linkTo = (name: string): string => `<a href="#${name}">${name}</a>`;

/** `string or null`, `array of ClientRecord` with a link. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return linkTo(nameIn(schema.$ref));
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  const types = [schema.type ?? 'any'].flat();
  return types
    .map((type) => (type === 'array' ? `array of ${typeOf(schema.items ?? {})}` : nameOf(type, schema)))
    .join(' or ');
}

function nameOf(type: string, { format, pattern, additionalProperties, properties }: Schema): string {
  if (type === 'string') return format ?? (pattern === z.regexes.guid.source ? 'uuid' : type);
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
    ...(schema.pattern === undefined ? [] : patternInWords(schema.pattern)),
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

function sizes(schema: Schema): string[] {
  const { type, format, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const [first] = [type].flat();
  const isText = first === 'string' && !OF_FIXED_LENGTH.includes(format);
  return [
    ...(isText ? rangeOf(minLength, maxLength, ' characters') : []),
    ...rangeOf(minimum, maximum, ''),
    ...rangeOf(minItems, maxItems, ' elements'),
    ...rangeOf(schema.minProperties, schema.maxProperties, ' of the fields'),
  ];
}

function rangeOf(least: number | undefined, most: number | undefined, unit: string): string[] {
  const [from, to] = [least?.toLocaleString('en'), most?.toLocaleString('en')];
  if (to === undefined) return from === undefined ? [] : [`at least ${from}${unit}`];
  if (from === undefined) return [`up to ${to}${unit}`];
  return [from === to ? `${from}${unit}` : `${from} to ${to}${unit}`];
}
