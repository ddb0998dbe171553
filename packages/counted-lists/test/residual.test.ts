import { expect, it } from 'vitest';
import { Members, NumberSet } from '../src/number-set.ts';
import { decideByRecords } from '../src/residual.ts';
import { RecordsInMemory } from './records-in-memory.ts';

/** How much is read where no index says which records a list has, or in which order: their records decide. */

const KB = 1_024;
/** What may be read: 500 read units. */
const MOST = 500 * 4 * KB;
const apart = (count: number, distance = 20): number[] => Array.from({ length: count }, (_, index) => index * distance);
const dense = (count: number): number[] => apart(count, 1);
const inOrder = { sort: 'state', page_size: 10 } as const;

it.each<readonly [string, number[], number]>([
  ['2,000 neighbours of 1 KB', dense(2_000), KB],
  ['500 that lie far apart', apart(500), KB],
  ['8 of the largest ones', dense(8), 235 * KB],
  ['8 of the largest ones that lie far apart', apart(8), 235 * KB],
  ['10,000 of the smallest ones', dense(10_000), 200],
])('%s are sorted by what they say', async (_, numbers, size) => {
  const list = new RecordsInMemory({ numbers, bytesOf: () => size });
  const { length } = numbers;
  expect(await list.page(inOrder)).toMatchObject({ numbers: numbers.slice(0, 10), total: length, isCut: false });
  const last = await list.page({ ...inOrder, sort: '-state' });
  expect([last.numbers, last.residualUnits]).toEqual([numbers.toReversed().slice(0, 10), (length * size) / (4 * KB)]);
});

it.each<readonly [string, number[], (number: number) => number]>([
  ['2,001 neighbours of 1 KB', dense(2_001), () => KB],
  ['501 that lie far apart', apart(501), () => KB],
  ['9 of the largest ones', dense(9), () => 235 * KB],
  ['9 of the largest ones that lie far apart', apart(9), () => 235 * KB],
  ['11,000 of the smallest ones', dense(11_000), () => 100],
  ['neighbours that take all, and one apart', [...dense(2_000), 3_000], () => KB],
  [
    'neighbours that take nearly all, and a large one',
    [...dense(1_000), 3_000],
    (at) => (at > 2_000 ? 240 * KB : 2 * KB - 1),
  ],
])('%s are too many, and few of them are read', async (_, numbers, bytesOf) => {
  const list = new RecordsInMemory({ numbers, bytesOf });
  const refused = { name: 'TooManyMatches', candidates: numbers.length, fields: ['sort=state'] };
  await expect(list.page(inOrder)).rejects.toMatchObject(refused);
  expect(list.bytes).toBeLessThanOrEqual(2 * MOST);
});

it('small records are read in few round trips beside one that is very large, wherever that is', async () => {
  for (const large of [0, 4_020, 8_000]) {
    const bytesOf = (number: number) => (number === large ? 240 * KB : KB);
    const list = new RecordsInMemory({ numbers: apart(401), bytesOf, largest: 240 * KB });
    const page = await list.page(inOrder);
    expect([page.total, page.numbers.length]).toEqual([401, 10]);
    expect(list.calls.length).toBeLessThanOrEqual(9);
  }
});

it('as many large records as are refused are not read, whichever of them are large', async () => {
  for (const isLarge of [(at: number) => at >= 4_000, (at: number) => at < 4_000, (at: number) => at % 40 === 0]) {
    const list = new RecordsInMemory({
      numbers: apart(400),
      bytesOf: (number) => (isLarge(number) ? 240 * KB : KB),
      largest: 240 * KB,
    });
    await expect(list.page(inOrder)).rejects.toMatchObject({ name: 'TooManyMatches' });
    expect(list.bytes).toBeLessThanOrEqual(2 * MOST);
  }
});

it.each<readonly [string, number[], number, number]>([
  ['scattered records', apart(400), KB, 400],
  ['neighbours', dense(1_600), KB, 400],
  ['scattered records of 8 KB', apart(200), 8 * KB, 400],
  ['neighbours of 8 KB, as soon as that is known', dense(230), 8 * KB, 460],
])('%s are charged before they are read', async (_, numbers, size, units) => {
  const list = new RecordsInMemory({ numbers, bytesOf: () => size, largest: size });
  const expected: (readonly [units: number, read: number])[] = [];
  await list.page(inOrder, (more) => void expected.push([more, list.bytes / (4 * KB)]));
  // What is left is charged at each step: all together, what it takes and no more than may be read.
  const charged = expected.map(([more, read]) => more + read);
  expect(Math.max(...charged)).toBeGreaterThanOrEqual(units);
  expect(Math.max(...charged)).toBeLessThanOrEqual(500);
  expect(expected[0]?.[1]).toBe(0);
});

it('an index that lacks older records is not asked: the records decide, as long as they are few', async () => {
  const query = { filter: { state: 'rare' } } as const;
  const numbers = apart(500);
  const page = await new RecordsInMemory({ numbers, isBuilt: false }).page(query);
  expect(page).toMatchObject({ numbers: numbers.slice(0, 25), total: 500, residualUnits: expect.any(Number) });
  const long = new RecordsInMemory({ numbers: apart(501), isBuilt: false });
  const refused = { name: 'ListNotBuilt', fields: ['state'] };
  await expect(long.page(query)).rejects.toMatchObject(refused);
  await expect(long.page({ ...query, ...inOrder })).rejects.toMatchObject(refused);
  expect(long.bytes).toBe(0);
});

it('what indexes find beside the list counts for nothing', async () => {
  const [included, inexact] = [NumberSet.ofNumbers([7]), new Set(dense(11_000))];
  const view = { included, inexact, excluded: NumberSet.EMPTY, counter: {}, residual: [], unbuilt: [], units: 0 };
  const calls: unknown[] = [];
  const send = async (command: unknown) => {
    calls.push(command);
    return { Responses: { t: [{ PK: 'LIST', SK: '000000000007', id: '7' }] } };
  };
  const query = { partition: 'LIST', conditions: [], sort: [], matches: () => true };
  const members = new Members({ from: 0, to: 20_000, included });
  const limit = { clock: Date.now, deadline: Date.now() + 1_000 };
  const reading = [{ name: 't', client: { send } }, query, view, members, limit] as unknown[];
  const decided = await decideByRecords(...(reading as Parameters<typeof decideByRecords>));
  expect([decided.records.size, calls.length]).toEqual([1, 1]);
});
