import { escapedHtml, text } from '../markdown.ts';
import { nameIn, type Operation, openApi, operations, type Schema } from './document.ts';
import { exampleOf, jsonHtml } from './examples.ts';
import { type Direction, fieldTable, rowsOf } from './fields.ts';

/** The records: every schema of the document has one section. */

const { schemas } = openApi.components;

const recordOf = ({ $ref }: Schema): readonly string[] => ($ref === undefined ? [] : [nameIn($ref)]);

/** The records that an operation names for its body and responses. */
const partsOf = ({ body, responses }: Operation): readonly string[] =>
  [body, ...responses.flatMap(({ content }) => content)].flatMap((part) => (part ? recordOf(part.schema) : []));

/** Adds these records, and those that they name in their fields, to the ones found. */
function reachedFrom(names: readonly string[], found: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const added = names.filter((name) => !found.has(name));
  if (added.length === 0) return found;
  const fields = JSON.stringify(added.map((name) => schemas[name]));
  const named = Array.from(fields.matchAll(/"\$ref":"([^"]+)"/g), ([, reference = '']) => nameIn(reference));
  return reachedFrom(named, new Set([...found, ...added]));
}

const uses = Map.groupBy(operations.flatMap(partsOf), (name) => name);

/** Records that requests have: their tables say what is required. */
const sent = reachedFrom(operations.flatMap(({ body }) => (body ? recordOf(body.schema) : [])));

/** Whether only one operation has this record, which is then described there. */
export const isOfOneOperation = (name: string): boolean => uses.get(name)?.length === 1;

/** The first tag with an operation that leads to the record. */
const tagOf = (name: string): string | undefined =>
  operations.find((operation) => reachedFrom(partsOf(operation)).has(name))?.tag;

const ownSections = Map.groupBy(
  Object.keys(schemas).filter((name) => !isOfOneOperation(name)),
  tagOf,
);

/** Records with a section of their own, in the group of this tag; those without a tag are common to all. */
export const recordsOf = (tag: string | undefined): readonly string[] => ownSections.get(tag) ?? [];

/** Records that are described in the operation. */
export const recordsIn = (operation: Operation): readonly string[] => partsOf(operation).filter(isOfOneOperation);

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
  const links = users.map(({ id, summary }) => `<a href="#${id}">${escapedHtml(summary)}</a>`);
  return `<section class="record" id="${name}">
<div class="sides">
<div class="says">
<h3><a href="#${name}">${name}</a></h3>
${recordBody(name, true)}
${links.length === 0 ? '' : `<p class="users">Of: ${links.join(', ')}.</p>`}
</div>
<div class="shows" tabindex="0" role="region" aria-label="Example of ${name}">
<div class="card"><p class="title">Example</p>${jsonHtml(exampleOf(schemaNamed(name)))}</div></div>
</div>
</section>`;
}
