import { declaredEntities } from '../../functions/all-entities.ts';
import type { MarkdownTable } from '../markdown.ts';

const PREFIXES = { set: '', flag: '', words: 'words of ', exact: 'the exact ', order: 'the order and ranges of ' };

/** The indexes of each entity. Derived from the domains' declarations. */
export async function filterTable(): Promise<MarkdownTable> {
  const rows = (await declaredEntities())
    .filter(({ indexes }) => indexes.length > 0)
    .map(({ name, indexes }) => [
      `\`${name}\``,
      indexes.flatMap(({ kind, fields }) => fields.map((field) => `${PREFIXES[kind]}\`${field}\``)).join(', '),
    ]);
  return { head: ['entity', 'can be listed by'], rows };
}
