import type { Schema } from './document.ts';
import { code, inlineText } from './text.ts';
import { constraintsOf, typeOf } from './words.ts';

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
    const marks = marksOf(field, required.has(name), direction);
    return [{ name: path, schema: field, description: field.description, marks }, ...innerRows(field, direction, path)];
  });
}

function innerRows(field: Schema, direction: Direction, path: string): readonly Row[] {
  if (field.properties !== undefined) return rowsOf(field, direction, `${path}.`);
  return field.items?.properties === undefined ? [] : rowsOf(field.items, direction, `${path}[].`);
}

const marksOf = (field: Schema, isRequired: boolean, direction: Direction): readonly string[] => [
  ...(direction === 'sent' && isRequired ? ['required'] : []),
  ...(direction === 'sent' && field.readOnly === true ? ['read-only'] : []),
  ...(direction === 'returned' && !isRequired ? ['may be absent'] : []),
];

const kindOf = (mark: string): string => mark.replaceAll(' ', '-');

const markHtml = (mark: string): string => ` <span class="mark ${kindOf(mark)}">${mark}</span>`;

const head = (first: string, others: readonly string[]): string =>
  `<thead><tr><th scope="col">${first}</th>${others.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead>`;

/** Name, type, constraints and description of each row; empty without rows. */
export function fieldTable(rows: readonly Row[], title: 'Field' | 'Parameter' | 'Header'): string {
  if (rows.length === 0) return '';
  return `<table class="fields">${head(title, ['Type', 'Description'])}<tbody>
${rows.map(rowHtml).join('\n')}
</tbody></table>`;
}

function rowHtml({ name, schema, description, marks, id }: Row): string {
  const constraints = constraintsOf(schema).map((each) => `<span class="limit">${each}</span>`);
  return `<tr${id === undefined ? '' : ` id="${id}"`}><th scope="row">${code(name)}${marks.map(markHtml).join('')}</th><td class="type">${[typeOf(schema), ...constraints].join(' ')}</td><td>${inlineText(description ?? '')}</td></tr>`;
}

/** Only name and type, for a record whose fields are described in a section of its own. */
export const typeTable = (
  rows: readonly Row[],
): string => `<table class="fields brief">${head('Field', ['Type'])}<tbody>
${rows.map(({ name, schema, marks }) => `<tr><th scope="row">${code(name)}${marks.map(markHtml).join('')}</th><td class="type">${typeOf(schema)}</td></tr>`).join('\n')}
</tbody></table>`;
