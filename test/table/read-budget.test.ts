import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../shared/clock.ts';
import { TableUnavailable } from '../../shared/table/errors.ts';
import type { TenantId } from '../../shared/table/keys.ts';
import { MAX_READ, ReadBudget } from '../../shared/table/lists/read-budget.ts';
import { readRecords } from '../../shared/table/lists/scattered.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { EntityLists } from '../../shared/table/repository/entity-lists.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/** How much is read at once, and what is done about what DynamoDB left unread. */

const PATIENT = { clock: () => 0, deadline: 0 };

describe('a reading', () => {
  it('reads a page of the standard size twice over, however large its records are', () => {
    const reading = new ReadBudget(PATIENT, true);
    for (const strongly of [false, true]) {
      expect(reading.mayRead(25)).toBe(25);
      reading.spend({ CapacityUnits: (25 * 240_000) / (strongly ? 4_096 : 8_192) }, strongly, 25);
    }
    expect(reading.isCut).toBe(false);
  });

  it('asks for all of a page at first, and then for as many as fit if they are like those before', () => {
    const reading = new ReadBudget(PATIENT, true);
    expect(reading.mayRead(200)).toBe(200);
    reading.spend({ CapacityUnits: 256 }, true, 50);
    expect(reading.mayRead(200)).toBe(200);
    reading.spend({ CapacityUnits: 2_048 }, true, 25);
    expect(reading.mayRead(200)).toBeGreaterThan(40);
    expect(reading.mayRead(200)).toBeLessThan(75);
    reading.spend({ CapacityUnits: MAX_READ / 8_192 }, false, 40);
    expect([reading.isCut, reading.mayRead(1), reading.isCut]).toEqual([false, 0, true]);
  });

  it('asks for what fits at the largest size, where nothing is known of sizes', () => {
    const reading = new ReadBudget(PATIENT, true);
    reading.spend({ CapacityUnits: 100 }, false, 0);
    expect(reading.mayRead(200)).toBeGreaterThan(55);
    expect(reading.mayRead(200)).toBeLessThan(65);
    expect(new ReadBudget(PATIENT, true).mayRead(0)).toBe(0);
  });

  it('asks for everything where nothing bounds it', () => {
    const reading = new ReadBudget(PATIENT, true, Number.POSITIVE_INFINITY);
    reading.spend({ CapacityUnits: 100 }, false, 0);
    expect(reading.mayRead(5_000)).toBe(5_000);
    reading.spend({ CapacityUnits: 100 }, false, 10);
    expect(reading.mayRead(5_000)).toBe(5_000);
  });
});

interface Job {
  readonly id: string;
  readonly state: string;
}

const jobEntity = entity<Job>('JOB', { filters: ['state'] });

/** Answers each `BatchGetItem` with the first key left undone, or with all of them. */
class BusyTable extends NodeHttpHandler {
  leavesAll = false;
  calls = 0;

  override async handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    if (!request.headers['x-amz-target']?.endsWith('.BatchGetItem')) return super.handle(request, options);
    this.calls += 1;
    const sent = JSON.parse(String(request.body));
    const asked = sent.RequestItems as Record<string, { Keys: unknown[] }>;
    const [[name, { Keys }]] = Object.entries(asked) as [[string, { Keys: unknown[] }]];
    const left = this.leavesAll ? Keys : Keys.slice(0, Keys.length > 1 ? 1 : 0);
    const done = Keys.filter((key) => !left.includes(key));
    if (done.length === 0) return reply({ Responses: {}, UnprocessedKeys: { [name]: { ...asked[name], Keys: left } } });
    const body = JSON.stringify({
      ...sent,
      RequestItems: { [name]: { ...asked[name], Keys: done } },
    });
    request.body = body;
    request.headers['content-length'] = String(Buffer.byteLength(body));
    const { response } = await super.handle(request, options);
    const found = JSON.parse(Buffer.concat(await (response.body as Readable).toArray()).toString());
    return reply({ ...found, UnprocessedKeys: left.length === 0 ? {} : { [name]: { ...asked[name], Keys: left } } });
  }
}

const reply = (body: unknown) => ({
  response: new HttpResponse({
    statusCode: 200,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: Readable.from([Buffer.from(JSON.stringify(body))]),
  }),
});

describe('keys that DynamoDB leaves unread', () => {
  let fresh: FreshTable;
  const org = randomUUID();
  const busy = new BusyTable();
  beforeAll(async () => {
    fresh = await freshTable();
    for (let index = 0; index < 30; index++) {
      const tenant = openTenant(tableAt(fresh), org);
      await doIn(tenant, () => tenant.records(jobEntity).create({ state: index % 10 === 0 ? 'rare' : 'usual' }));
    }
  });

  const rareOnes = (clock?: Clock, patience?: number) =>
    openTenant(tableAt(fresh, busy), org, clock, patience)
      .records(jobEntity)
      .page({ page: 1, page_size: 25, sort: '-created_at', filter: { state: 'rare' } });

  it('are asked for again until all are read', async () => {
    const { records, total } = await rareOnes();
    expect([records.length, total, busy.calls]).toEqual([3, 3, 2]);
  });

  it('are given up when the time of the request is over', async () => {
    busy.leavesAll = true;
    let time = Date.UTC(2026, 10, 20);
    const clock = () => {
      time += 100;
      return time;
    };
    busy.calls = 0;
    await expect(rareOnes(clock, 1_000)).rejects.toThrow(TableUnavailable);
    expect(busy.calls).toBeGreaterThan(1);
    expect(busy.calls).toBeLessThan(12);
  });
});

/** An eventually consistent read does not show the third of the records that are asked for. */
class LaggingTable extends NodeHttpHandler {
  override async handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    if (!request.headers['x-amz-target']?.endsWith('.BatchGetItem')) return super.handle(request, options);
    const sent = JSON.parse(String(request.body));
    for (const asked of Object.values<{ Keys: unknown[]; ConsistentRead: boolean }>(sent.RequestItems)) {
      if (!asked.ConsistentRead) asked.Keys.splice(2, 1);
    }
    request.body = JSON.stringify(sent);
    request.headers['content-length'] = String(Buffer.byteLength(request.body));
    return super.handle(request, options);
  }
}

/** There is no more to be read after the first look. */
class OneLook extends ReadBudget {
  #looks = 0;
  override mayRead(wanted: number): number {
    return this.#looks++ === 0 ? super.mayRead(wanted) : 0;
  }
}

describe('a page that is cut short', () => {
  it.each([
    [false, [0, 8]],
    [true, [32, 40]],
  ])('has no gaps, where a record was not seen at first: newest first %s', async (newestFirst, seen) => {
    const fresh = await freshTable();
    const org = randomUUID();
    for (let index = 0; index < 48; index++) {
      const state = index % 8 === 0 ? 'open' : 'done';
      await doIn(openTenant(tableAt(fresh), org), (tenant) => tenant.records(jobEntity).create({ state }));
    }
    const source = new EntityLists(org as TenantId, jobEntity, `ORG#${org}#JOB`).source({ state: 'open' });
    const patience = { clock: Date.now, deadline: Date.now() + 10_000 };
    const numbers = [0, 8, 16, 24, 32, 40];
    const read = (reading: ReadBudget) => readRecords(tableAt(fresh, new LaggingTable()), source, numbers, reading);
    expect([...(await read(new ReadBudget(patience, newestFirst))).keys()].toSorted((a, b) => a - b)).toEqual(numbers);
    expect([...(await read(new OneLook(patience, newestFirst))).keys()].toSorted((a, b) => a - b)).toEqual(seen);
  });
});
