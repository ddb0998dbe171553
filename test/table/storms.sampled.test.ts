import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Recorder } from '../../bench/data-model/recorder.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { PageIncomplete } from '../../shared/table/errors.ts';
import { COUNTER, setPartition } from '../../shared/table/keys.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { auditOf, numbersIn } from '../support/audit.ts';
import { clockAt } from '../support/clock.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { EXTENT } from '../support/extent.ts';
import { PausingHandler } from '../support/pauses.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/** Many numbers lost at once: no page is short or has a false total, no request pays for all, and no paused writer writes a record that is not listed. */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly created_at: string;
}

const jobs = entity<Job>('JOB', { filters: ['state'] });
const NOW = Date.parse('2026-11-20T12:00:00Z');
const LATE = NOW + 60_000;
/** As many as were seen once, or as many as take some requests. */
const STORM = EXTENT === 'sample' ? 700 : 20_000;

let fresh: FreshTable;
let table: Table;
let org: string;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});
beforeEach(() => {
  org = randomUUID();
});

const partition = () => `ORG#${org}#JOB`;
const create = (count: number, time = NOW, through = table) =>
  doIn(openTenant(through, org, clockAt(time)), async (tenant) => {
    const created: string[] = [];
    for (let index = 0; index < count; index++) {
      const created_at = new Date(time).toISOString();
      created.push((await tenant.records(jobs).create({ state: 'open', created_at })).record.id);
    }
    return created;
  });

/** Gives out numbers to nobody. */
const lose = (count: number) =>
  table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { PK: setPartition(partition()), SK: COUNTER },
      UpdateExpression: 'SET #at = :now ADD #next :count',
      ExpressionAttributeNames: { '#next': 'NEXT', '#at': 'AT' },
      ExpressionAttributeValues: { ':count': count, ':now': NOW },
    }),
  );

const read = (page: number, sort: '-created_at' | 'created_at', through = table, page_size = 25) =>
  openTenant(through, org, clockAt(LATE)).records(jobs).page({ page, page_size, sort });

/** Reads a page until it is answered. */
async function insist(page: number, sort: '-created_at' | 'created_at') {
  const own = tableAt(fresh);
  const recorder = new Recorder(own);
  const units: number[] = [];
  for (;;) {
    const responses: Awaited<ReturnType<typeof read>>[] = [];
    const calls = await recorder.record(async () => {
      try {
        responses.push(await read(page, sort, own));
      } catch (error) {
        expect(error).toBeInstanceOf(PageIncomplete);
      }
    });
    units.push(calls.filter(({ operation }) => /Put|Update|Write/.test(operation)).length);
    if (responses[0] !== undefined) {
      return { units, total: responses[0].total, ids: responses[0].records.map(({ record }) => record.id) };
    }
  }
}

describe('a storm of lost numbers', () => {
  it.each(['-created_at', 'created_at'] as const)(
    'is closed step by step, and no page is short meanwhile: %s',
    async (sort) => {
      const before = await create(10);
      await lose(STORM);
      const after = await create(10);
      const listed = sort === 'created_at' ? [...before, ...after] : [...before, ...after].toReversed();
      const { units, total, ids } = await insist(1, sort);
      expect([total, ids]).toEqual([20, listed]);
      // Puts and updates of one unit each.
      expect(Math.max(...units)).toBeLessThanOrEqual(200);
      expect(units.length).toBe(Math.ceil(STORM / 168));
      expect(await auditOf(table, partition(), { state: ['open'] })).toEqual({ lost: [], faults: [] });
      expect(await insist(1, sort)).toMatchObject({ units: [0], total: 20 });
    },
  );

  it('is closed by many readers at once, each number once', async () => {
    await create(3);
    await lose(400);
    await Promise.all([1, 2, 3, 9].map((page) => insist(page, '-created_at')));
    expect(await insist(1, '-created_at')).toMatchObject({ total: 3 });
    expect((await numbersIn(table, setPartition(partition()))).length).toBe(400);
    expect(await auditOf(table, partition(), { state: ['open'] })).toEqual({ lost: [], faults: [] });
  });

  it('stops a writer that is paused through all of it, at whatever step it resumes', async () => {
    await create(1);
    const writers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const handler = new PausingHandler();
        const paused = handler.pauseBefore('TransactWriteItems');
        const writing = create(1, NOW, tableAt(fresh, handler));
        await Promise.race([paused.reached, writing]);
        return { paused, writing };
      }),
    );
    await lose(500);
    const reader = new PausingHandler();
    const through = tableAt(fresh, reader);
    const pauses = [...writers.keys()].map((index) => reader.pauseBefore(index < 3 ? 'PutItem' : 'UpdateItem'));
    const reading = (async () => {
      for (;;) {
        try {
          return await read(1, 'created_at', through);
        } catch (error) {
          if (!(error instanceof PageIncomplete)) throw error;
        }
      }
    })();
    for (const [index, { reached, release }] of pauses.entries()) {
      await Promise.race([reached, reading]);
      writers[index]?.paused.release();
      await writers[index]?.writing;
      release();
    }
    await reading;
    const { total, ids } = await insist(1, 'created_at');
    const written = (await Promise.all(writers.map(({ writing }) => writing))).flat();
    expect(total).toBe(7);
    expect(ids).toEqual(expect.arrayContaining(written));
    expect(await auditOf(table, partition(), { state: ['open'] })).toEqual({ lost: [], faults: [] });
  });
});
