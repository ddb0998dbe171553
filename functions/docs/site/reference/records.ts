import { nameIn, type Operation, openApi, operationsOf, type Schema } from './document.ts';
import { type Direction, fieldTable, rowsOf } from './fields.ts';
import { text } from './text.ts';

/** The records: every schema of the document has one section. */

const operations = operationsOf();
const { schemas } = openApi.components;

/** The schemas that operations name for their bodies and responses. */
const partsOf = ({ body, responses }: Operation): readonly string[] =>
  [body?.schema, ...responses.flatMap(({ content }) => content.map(({ schema }) => schema))].flatMap((schema) =>
    schema?.$ref === undefined ? [] : [nameIn(schema.$ref)],
  );

const uses = Map.groupBy(operations.flatMap(partsOf), (name) => name);

/** Records that requests have: their tables say what is required. */
const sent = new Set(
  operations.flatMap(({ body }) => (body?.schema.$ref === undefined ? [] : [nameIn(body.schema.$ref)])),
);

/** Whether one operation only has this record, which then has its section there. */
export const isOfOneOperation = (name: string): boolean => uses.get(name)?.length === 1;

/** The records that this one names in its fields. */
const referencesIn = (schema: Schema): readonly string[] =>
  Array.from(JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g), ([, reference = '']) => nameIn(reference));

/** The others, which have sections of their own, with the operations of the first tag that leads to them. */
const ownSections = Map.groupBy(
  Object.keys(schemas).filter((name) => !isOfOneOperation(name)),
  tagOf,
);

/** Records with a section of their own, in the group of this tag; those without a tag are common to all. */
export const recordsOf = (tag: string | undefined): readonly string[] => ownSections.get(tag) ?? [];

function tagOf(name: string): string | undefined {
  return operations.find((operation) => partsOf(operation).some((part) => reaches(part, name)))?.tag;
}

function reaches(from: string, to: string): boolean {
  return from === to || referencesIn(schemas[from] ?? {}).some((name) => reaches(name, to));
}

/** @throws TypeError for a name that the document does not have */
export function schemaNamed(name: string): Schema {
  const schema = schemas[name];
  if (schema === undefined) throw new TypeError(`${name} is not in the document`);
  return schema;
}

export const directionOf = (name: string): Direction => (sent.has(name) ? 'sent' : 'returned');

/** What the record is, and a table of its fields. `isAnchored`: each field has an id, `ClientRecord.slug`. */
export function recordBody(name: string, isAnchored = false): string {
  const schema = schemaNamed(name);
  const rows = rowsOf(schema, directionOf(name));
  const shown = isAnchored ? rows.map((row) => ({ ...row, id: `${name}.${row.name}` })) : rows;
  return `${text(schema.description ?? '')}${fieldTable(shown, 'Field')}`;
}

/** A section of its own, with the operations that have the record. */
export function recordSection(name: string): string {
  const users = operations.filter((operation) => partsOf(operation).includes(name));
  const links = users.map(({ id, summary }) => `<a href="#${id}">${summary}</a>`);
  return `<section class="record" id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${recordBody(name, true)}
${links.length === 0 ? '' : `<p class="users">Of: ${links.join(', ')}.</p>`}
</section>`;
}
