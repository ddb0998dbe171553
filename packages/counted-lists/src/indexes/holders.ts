import { builtFilters, readCounterItem } from '../counter-item.ts';
import { ListNotBuilt } from '../errors.ts';
import { between, queryUpTo } from '../queries.ts';
import type { Table } from '../table.ts';
import { itemsPartition } from './entry.ts';
import { exactIndex, HOLDER } from './exact-index.ts';

/**
 * The ids of some records with a value of a field that has an exact index, without the records. Strongly consistent.
 * @throws ListNotBuilt
 */
export async function readHolders(
  table: Table,
  list: string,
  { field, value, most }: { readonly field: string; readonly value: string; readonly most: number },
): Promise<readonly string[]> {
  const { name, entriesOf } = exactIndex(field);
  const [entry] = entriesOf({ [field]: value });
  if (entry === undefined || !('items' in entry)) return [];
  const query = between(itemsPartition(list, entry.items), [entry.text, `${entry.text}\v`]);
  const [counter, { items }] = await Promise.all([readCounterItem(table, list, true), queryUpTo(table, query, most)]);
  if (counter.NEXT !== undefined && !builtFilters(counter).includes(name)) throw new ListNotBuilt(list, [field]);
  return items.map(({ [HOLDER]: id }) => String(id));
}
