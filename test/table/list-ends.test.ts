import { randomUUID } from 'node:crypto';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../shared/clock.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { COUNTER } from '../../shared/table/keys.ts';
import { numberIn } from '../../shared/table/lists/ids.ts';
import { NumberSet } from '../../shared/table/lists/number-set.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { TTL_ATTRIBUTE } from '../../shared/table/schema.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';
import { dumpOf } from '../support/table-dump.ts';

/** What lists consist of goes when what it serves is gone. */

interface Line {
  readonly id: string;
  readonly level: string;
}

const RETENTION_DAYS = 30;
const DAY = 86_400_000;
const lineEntity = entity<Line>('LINE', { filters: ['level'], retentionDays: RETENTION_DAYS });
const pieceEntity = entity<Line>('PIECE', { filters: ['level'] });

let fresh: FreshTable;
let table: Table;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});

/** What the table has of an organization. */
const itemsOf = async (org: string) =>
  (await dumpOf(fresh)).map((item) => unmarshall(item)).filter(({ PK }) => String(PK).startsWith(`ORG#${org}#`));

const at =
  (time: number): Clock =>
  () =>
    time;

describe('a list whose records expire', () => {
  it('has nothing that does not expire after them, but its one head', async () => {
    const org = randomUUID();
    const begin = systemClock();
    const expiries: number[] = [];
    for (let day = 0; day < 40; day += 4) {
      const tenant = openTenant(table, org, at(begin + day * DAY));
      const lines = tenant.records(lineEntity);
      await doIn(tenant, async () => {
        for (const level of ['info', 'error', `on day ${day}`]) {
          const { item } = await lines.create({ level });
          expiries[numberIn(String(item.SK))] = Number(item[TTL_ATTRIBUTE]);
        }
      });
    }
    // One that was taken for nothing.
    const tenant = openTenant(table, org, at(begin + 36 * DAY));
    await tenant.session
      .allocateNumber(tenant.id, { partition: `ORG#${org}#LINE`, filters: [], retentionDays: RETENTION_DAYS })
      .then(() => tenant.session.abandon());

    const items = await itemsOf(org);
    const lasting = items.filter((item) => item[TTL_ATTRIBUTE] === undefined);
    expect(lasting.map(({ SK }) => SK)).toEqual([COUNTER]);
    const sets = items.filter(({ PK, SK }) => String(PK).endsWith('#SET') && SK !== COUNTER);
    expect(sets.length).toBeGreaterThan(10);
    for (const item of sets) {
      const numbers = NumberSet.ofItems([item]);
      const served = expiries.filter((_, number) => numbers.has(number));
      if (served.length === 0) continue;
      expect(item[TTL_ATTRIBUTE]).toBeGreaterThan(Math.max(...served));
      expect(item[TTL_ATTRIBUTE]).toBeLessThanOrEqual(Math.max(...served) + 35 * 86_400);
    }
  });
});

describe('a filter value that is gone for good', () => {
  it('leaves nothing', async () => {
    const org = randomUUID();
    const tenant = () => openTenant(table, org);
    const made = tenant();
    const pieces = made.records(pieceEntity);
    const [one, other] = await doIn(made, async () => [
      await pieces.create({ level: 'gone' }),
      await pieces.create({ level: 'stays' }),
    ]);
    const ended = tenant();
    await doIn(ended, async () => ended.records(pieceEntity).remove(one as NonNullable<typeof one>));
    const setsOf = async (level: string) =>
      (await itemsOf(org)).filter(({ PK }) => String(PK) === `ORG#${org}#PIECE#level=${level}#SET`);
    expect(await setsOf('gone')).toHaveLength(1);

    const retired = tenant();
    await doIn(retired, async () => {
      const records = retired.records(pieceEntity);
      records.filterSets.delete(await records.filterSets.keysOf('level', 'gone'));
    });
    expect(await setsOf('gone')).toEqual([]);
    expect(await setsOf('stays')).toHaveLength(1);
    expect((await itemsOf(org)).filter(({ PK }) => String(PK).endsWith('#CASCADE_DELETE'))).toEqual([]);
    expect(other?.record.level).toBe('stays');
  });
});
