import type { Table } from '../../generate/markdown.ts';
import { declaredEntities } from '../../operator/entities.ts';

/** The filters of each entity. Made from what the domains declare. */
export async function filterTable(): Promise<Table> {
  const rows = (await declaredEntities())
    .filter(({ filters }) => filters.length > 0)
    .map(({ name, filters }) => [`\`${name}\``, filters.map((field) => `\`${field}\``).join(', ')]);
  return { head: ['entity', 'can be listed by'], rows };
}
