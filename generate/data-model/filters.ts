import { declaredEntities } from '../../functions/all-entities.ts';
import type { MarkdownTable } from '../markdown.ts';

/** The filters of each entity, and the fields by whose words it is found. Derived from the domains' declarations. */
export async function filterTable(): Promise<MarkdownTable> {
  const rows = (await declaredEntities())
    .filter(({ filters }) => filters.length > 0)
    .map(({ name, filters, words }) => [
      `\`${name}\``,
      [...filters.map((field) => `\`${field}\``), ...words.map((field) => `words of \`${field}\``)].join(', '),
    ]);
  return { head: ['entity', 'can be listed by'], rows };
}
