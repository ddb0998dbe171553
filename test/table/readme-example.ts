import { contention, ids, NumberPool, readPage, schema, storedSets, type Table, UnitOfWork } from '#lists';

const list = { partition: 'TICKETS', filters: ['status', 'assigned_to'] };

/** Creates a ticket. @returns its id */
export async function create(table: Table, fields: Readonly<Record<string, string | null>>): Promise<string> {
  const limit = { clock: Date.now, deadline: Date.now() + 10_000 };
  const numbers = new NumberPool({ ...limit, now: Date.now(), contention: new contention.Contention(limit) });
  const { number } = await numbers.allocate(table, list);
  const id = ids.newId(number);
  const key = { PK: list.partition, SK: ids.sortKeyOf(number) };
  const created_at = new Date().toISOString();
  const work = new UnitOfWork();
  work.put({ ...key, id, created_at, ...fields, [schema.VERSION]: 1 }, () => new Error('a reader fenced the number'));
  for (const filter of list.filters)
    storedSets.stageMove(work, { ...list, number, by: { filter } }, [], [fields[filter] ?? []].flat());
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
  const clauses = Object.entries(filter).map(([field, anyOf]) => ({ field, anyOf }));
  const matches = (item: schema.Item) => clauses.every(({ field, anyOf }) => anyOf.includes(String(item[field])));
  const source = { ...list, clauses, lookups: [], createdAt: 'created_at', matches };
  return readPage(table, source, { page, pageSize: 25, newestFirst: true, now: Date.now(), timeLimit });
}
