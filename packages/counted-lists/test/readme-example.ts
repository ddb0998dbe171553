import {
  Contention,
  ids,
  indexes,
  NumberPool,
  readPage,
  schema,
  type Table,
  UnitOfWork,
} from '@custodia/counted-lists';

const list = { partition: 'TICKETS', filters: ['status', 'assigned_to'] };
const byFields = list.filters.map((field) => indexes.setIndex(field, () => true));
const found = new indexes.Indexes(list.partition, byFields);

/** Creates a ticket. @returns its id */
export async function create(table: Table, fields: Readonly<Record<string, string | null>>): Promise<string> {
  const limit = { clock: Date.now, deadline: Date.now() + 10_000 };
  const numbers = new NumberPool({ ...limit, now: Date.now(), contention: new Contention(limit) });
  const { number } = await numbers.allocate(table, list);
  const id = ids.newId(number);
  const key = { PK: list.partition, SK: ids.sortKeyOf(number) };
  const created_at = new Date().toISOString();
  const item = found.withNotes({ ...key, id, created_at, ...fields, [schema.VERSION]: 1 });
  const work = new UnitOfWork();
  work.put(item, () => new Error('a reader has fenced the number'));
  found.stage(work, item, found.change(undefined, item));
  numbers.noteSent();
  await work.commit(table, limit).then(
    () => numbers.confirm(),
    (error) => numbers.release().then(() => Promise.reject(error)),
  );
  return id;
}

/** Reads a page of 25 tickets, the newest first: those with one of these values of each field. */
export function read(table: Table, filter: Readonly<Record<string, readonly string[]>>, page: number) {
  const timeLimit = { clock: Date.now, deadline: Date.now() + 10_000 };
  const where = Object.entries(filter).map(([field, anyOf]) => ({ field, anyOf }));
  const sort = [{ field: 'created_at', descending: true }];
  const source = { ...list, indexes: found, where, createdAt: 'created_at' };
  return readPage(table, source, { page, pageSize: 25, sort, now: Date.now(), timeLimit });
}
