import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ids, schema } from '@custodia/counted-lists';
import { NumberSet } from '@custodia/counted-lists/maintenance';
import { expect, it } from 'vitest';
import { entity, set } from '#table';
import { COUNTER } from '../support/bits.ts';
import { dumpOf } from '../support/table-dump.ts';
import { TestList, useTable } from './test-list.ts';

/** Items of lists are deleted when they are no longer needed. */

interface Line {
  readonly id: string;
  readonly level: string;
}

const DAY = 86_400_000;
const table = useTable();
const lines = new TestList(table, entity<Line>('LINE', { indexes: [set('level')], retentionDays: 30 }));
const pieces = new TestList(table, entity<Line>('PIECE', { indexes: [set('level')] }));

/** What the table has of an organization. */
const items = async () =>
  (await dumpOf(table.place)).map((item) => unmarshall(item)).filter(({ PK }) => PK.startsWith(`ORG#${table.org}#`));

it('a list whose records expire has nothing that does not expire after them, but its one counter item', async () => {
  const begin = Date.now();
  const expiries: number[] = [];
  for (let day = 0; day < 40; day += 4) {
    for (const level of ['info', 'error', `on day ${day}`]) {
      const { item } = await lines.create({ level }, { at: () => begin + day * DAY });
      expiries[ids.numberIn(String(item.SK))] = Number(item[schema.TTL]);
    }
  }
  const { session, id } = table.open({ at: begin + 36 * DAY });
  await session.numbers.allocate(session.tables.of(id), { partition: lines.partition, filters: [], retentionDays: 30 });
  await session.abandon();

  const stored = await items();
  expect(stored.filter((item) => item[schema.TTL] === undefined).map(({ SK }) => SK)).toEqual([COUNTER]);
  const sets = stored.filter(({ PK, SK }) => PK.endsWith('#SET') && SK !== COUNTER);
  expect(sets.length).toBeGreaterThan(10);
  for (const item of sets) {
    const numbers = NumberSet.ofItems([item]);
    const served = expiries.filter((_, number) => numbers.has(number));
    if (served.length === 0) continue;
    expect(item[schema.TTL]).toBeGreaterThan(Math.max(...served));
    expect(item[schema.TTL]).toBeLessThanOrEqual(Math.max(...served) + 35 * 86_400);
  }
});

it('a filter value that is gone for good leaves nothing', async () => {
  const gone = await pieces.createId({ level: 'gone' });
  await pieces.create({ level: 'stays' });
  await pieces.remove(gone);
  const setsOf = async (level: string) =>
    (await items()).filter(({ PK }) => PK === `${pieces.partition}#level=${level}#SET`).length;
  expect([await setsOf('gone'), await setsOf('stays')]).toEqual([1, 1]);
  await pieces.do(async (records) => records.deleteSet(await records.setOf('level', 'gone')));
  expect([await setsOf('gone'), await setsOf('stays')]).toEqual([0, 1]);
  expect((await items()).filter(({ PK }) => PK.endsWith('#CASCADE_DELETE'))).toEqual([]);
});
