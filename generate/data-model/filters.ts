import { declaredEntities } from '../../functions/all-entities.ts';
import type { MarkdownTable } from '../markdown.ts';

/** The filters of each entity, the fields by whose words it is found, and the times by which it is sorted. Derived from the domains' declarations. */
export async function filterTable(): Promise<MarkdownTable> {
  const rows = (await declaredEntities())
    .filter(({ filters }) => filters.length > 0)
    .map(({ name, filters, words, orders }) => [
      `\`${name}\``,
      [
        ...filters.map((field) => `\`${field}\``),
        ...words.map((field) => `words of \`${field}\``),
        ...orders.map((field) => `the order and ranges of \`${field}\``),
      ].join(', '),
    ]);
  return { head: ['entity', 'can be listed by'], rows };
}
