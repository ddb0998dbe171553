import { type Item, schema, storedSets, type Table } from '@custodia/counted-lists';
import { counterKeyOf, readSet } from '@custodia/counted-lists/maintenance';
import { systemClock } from '../../shared/clock.ts';
import { RequestSession, type TenantId, tenantPartition } from '../../shared/table/index.ts';
import { indexesOf } from '../../shared/table/storage.ts';
import { itemsWith } from '../../test/support/bits.ts';
import { FIELDS, jobsOf, newJob } from '../../test/support/jobs.ts';
import { writeItems } from '../../test/support/write-items.ts';
import { FILTERS, KINDS, type SizedCase, type SizedList } from './lists.ts';
import { zipfWord } from './zipf.ts';

/**
 * Writes long lists as they are stored: the counter item, the items of gaps and sets, and only those records that are
 * read.
 */

/** Partition of the records. */
export const partitionOf = ({ org, kind }: SizedList): string => tenantPartition(org as TenantId, KINDS[kind].name);

/** Counter item, gaps and sets. */
export async function loadSets(table: Table, list: SizedList): Promise<void> {
  const { length, isLive, sets } = list;
  const partition = partitionOf(list);
  const gaps = storedSets.partitionOf(partition);
  const { names } = indexesOf(KINDS[list.kind], list.org as TenantId, partition);
  const stored = { AT: systemClock() - 3_600_000, BY: 'bench', FILTERS: names };
  await writeItems(table, [
    { ...counterKeyOf(partition), NEXT: length, ...stored },
    ...setItems(gaps, length, (number) => !isLive(number)),
    ...Object.entries(sets).flatMap(([field, isIn]) => {
      const set = storedSets.partitionOf(partition, field, 'a');
      return setItems(set, length, (number) => isLive(number) && isIn(number));
    }),
  ]);
}

/** The items of a set of the numbers below `length`. */
export const setItems = (PK: string, length: number, isIn: (number: number) => boolean): Item[] =>
  itemsWith(numbersBelow(length, isIn)).map((item) => ({ PK, ...item }));

function* numbersBelow(length: number, isIn: (number: number) => boolean): Generator<number> {
  for (let number = 0; number < length; number++) if (isIn(number)) yield number;
}

/**
 * The live records from the first to the last of these numbers, or only these where they are far apart, as creations
 * of the API would leave them.
 */
export async function loadRecords(table: Table, list: SizedList, numbers: readonly number[]): Promise<void> {
  const items: Item[] = [];
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
  const isNear = to - from < NEAR;
  const candidates = isNear ? Array.from({ length: to - from + 1 }, (_, index) => from + index) : numbers;
  for (const number of candidates) if (list.isLive(number)) items.push(await recordOf(table, list, number));
  await writeItems(table, items);
}

const NEAR = 10_000;

/** All live records. */
export async function loadAll(table: Table, list: SizedList): Promise<void> {
  for (let from = 0; from < list.length; from += NEAR)
    await loadRecords(table, list, [from, Math.min(from + NEAR, list.length) - 1]);
}

async function recordOf(table: Table, list: SizedList, number: number): Promise<Item> {
  const [record, ...others] = (await itemsOf(table, list, number)).filter(({ PK }) => PK === partitionOf(list));
  if (record === undefined || others.length > 0) throw new Error('a creation puts one record');
  return record;
}

/** The items that are put with a record: itself, and its entries in indexes. */
async function itemsOf(
  table: Table,
  { org, kind, sets, searched }: SizedList,
  number: number,
): Promise<readonly Item[]> {
  const session = new RequestSession(table, () => systemClock() - 3_600_000, Number.POSITIVE_INFINITY);
  session.numbers.allocate = async (_, { partition, filters }) => ({
    list: { partition, filters },
    number,
    expires: undefined,
    filters,
    largest: 0,
  });
  const inAdvance: Item[] = [];
  session.numbers.noteEntries = (_, entries) => {
    inAdvance.push(...entries.map((entry) => ({ ...entry, [schema.AT]: session.now })));
  };
  const fields = {
    ...newJob(FILTERS, (field) => (sets[FIELDS[field] ?? '']?.(number) === true ? 'a' : 'b')),
    ...(searched === undefined
      ? {}
      : { title: searched.titles.textOf(number), last_activity_at: timeAt(searched.placeOf(number)) }),
  };
  await jobsOf(org, session, KINDS[kind]).create({ fields });
  return [
    ...inAdvance,
    ...session.changes.pendingWrites.flatMap((write) => (write.kind === 'put' ? [write.item] : [])),
  ];
}

/** The time of a place in the order of activity: a second after the one before. */
const timeAt = (place: number): string => new Date(Date.UTC(2026, 0, 1) + place * 1_000).toISOString();

/** Some more entries of a word, and of the order of activity, than a page reads. */
const ENTRIES = { word: 3_000, activity: 20_000 } as const;

/** The entries by which these pages are found, as far as they are read: of words, and the latest ones of activity. */
export async function loadEntries(table: Table, list: SizedList, cases: readonly SizedCase[]): Promise<void> {
  const { searched, length } = list;
  if (searched === undefined) return;
  const { titles, placeOf } = searched;
  const write = async (isWanted: (number: number) => boolean, begin: string, most: number): Promise<void> => {
    const items: Item[] = [];
    for (let number = 0; number < length && items.length < most; number++) {
      if (!isWanted(number)) continue;
      const isEntry = ({ PK, SK }: Item): boolean => PK !== partitionOf(list) && String(SK).startsWith(begin);
      items.push(...(await itemsOf(table, list, number)).filter(isEntry));
    }
    await writeItems(table, items);
  };
  for (const rank of new Set(cases.flatMap(({ words = [] }) => words)))
    await write((number) => titles.has(number, rank), `${zipfWord(rank)}\n`, ENTRIES.word);
  await write((number) => placeOf(number) >= length - ENTRIES.activity, YEAR, ENTRIES.activity);
}

/** The prefix of all times. */
const YEAR = '2026-';

/** Compacts the gaps of a list, as its readers do, each a day after the one before. */
export async function compactList(table: Table, list: SizedList): Promise<void> {
  let newest = list.length - 1;
  while (!list.isLive(newest)) newest--;
  await loadRecords(table, list, [newest]);
  const readGaps = async () => (await readSet(table, storedSets.partitionOf(partitionOf(list)))).length;
  let [before, gaps] = [-1, await readGaps()];
  for (let now = systemClock() - READS * DAY; gaps !== before; now += DAY) {
    const session = new RequestSession(table, () => now, Number.POSITIVE_INFINITY);
    await jobsOf(list.org, session, KINDS[list.kind]).page({ page: 1, page_size: 1 });
    [before, gaps] = [gaps, await readGaps()];
  }
}

/** More than it takes for ten million numbers. */
const READS = 200;
const DAY = 86_400_000;
