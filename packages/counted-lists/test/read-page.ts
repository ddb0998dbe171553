import { ids, indexes, readPage as read, type Table } from '@custodia/counted-lists';
import { type Asked, asked } from '../../../test/support/asked.ts';

/** The partition of the list that is read. */
export const LIST = 'ORG#7#JOB';

interface How {
  /** Epoch milliseconds. */
  readonly now?: number;
  readonly finders?: ConstructorParameters<typeof indexes.Indexes>[1];
  readonly expectUnits?: ((units: number) => void) | undefined;
}

/** Reads a page of a list without a repository: the numbers of its records, in their order. */
export async function readPage(table: Table, query: Asked = {}, { now = Date.now(), finders = [], ...how }: How = {}) {
  const found = new indexes.Indexes(LIST, finders);
  const { where, page_size: pageSize, ...request } = asked(query);
  const source = { partition: LIST, filters: found.names, indexes: found, where, createdAt: 'created_at' };
  const timeLimit = { clock: () => now, deadline: now + 10_000, expectUnits: how.expectUnits };
  const { items, ...page } = await read(table, source, { ...request, pageSize, now, timeLimit });
  return { ...page, numbers: items.map(({ id }) => ids.numberOf(String(id))) };
}
