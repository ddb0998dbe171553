import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { counterKeyOf } from '@custodia/counted-lists/maintenance';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDynamoDb } from '#local-dynamodb';
import { RequestSession } from '#table';
import { withCeilings } from '../../generate/ceilings/ceilings.ts';
import { checksOf, unitBoundHolds } from '../../generate/data-model/bounds.ts';
import { type MeasuredOperations, measureOperations } from '../../generate/data-model/measure.ts';
import { isShown, patternTable } from '../../generate/data-model/page.ts';
import { roundTripsOf } from '../../generate/data-model/play.ts';
import { type Call, Recorder } from '../../generate/data-model/recorder.ts';
import { markdown, rowsIn } from '../../generate/markdown.ts';
import { textAt } from '../../generate/places.ts';
import type { EmbeddedDynamoDb } from '../../local/dynamodb/embedded.ts';
import { systemClock } from '../../shared/clock.ts';
import { asked } from '../support/asked.ts';
import { Conflicts } from '../support/conflicts.ts';
import { type Job, jobsBy, jobsOf, jobTable, Loader, newJob } from '../support/jobs.ts';
import type { Filter } from './test-list.ts';

/**
 * The bounds of operations and pages. DynamoDB Local counts too few units for transactions, so this needs the other
 * engine.
 */
const HAS_ENGINE = process.platform === 'linux' && process.arch === 'x64';

describe.skipIf(!HAS_ENGINE)('an operation', () => {
  let measured: MeasuredOperations;
  beforeAll(async () => {
    measured = await measureOperations();
  });

  it('costs no more write units and round trips than it may', () => {
    const checks = checksOf(measured);
    expect(checks.length).toBeGreaterThan(30);
    expect(checks.filter((check) => !unitBoundHolds(check))).toEqual([]);
  });

  it('is bound by what docs/counted-lists.md shows', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/counted-lists.md'), 'utf8');
    expect(withCeilings(page, measured), 'run `npm run docs` and commit docs/counted-lists.md').toBe(page);
    const rateOf = (title: string) => rowsIn(textAt(page, 'ceilings')).get(`\`${title}\``)?.[4];
    // A transaction takes two units a KB of a partition that has 1,000. Words are in several partitions, a unit each.
    expect([rateOf('POST /clients, up to 1 KB'), rateOf('POST /clients, up to 2 KB')]).toEqual(['500', '250']);
  });

  it('makes the calls that docs/data-model.md shows', () => {
    const shown = textAt(
      readFileSync(join(import.meta.dirname, '../../docs/data-model.md'), 'utf8'),
      'bench:data-model',
    );
    const callsIn = (table: string) => Array.from(rowsIn(table).values(), ([endpoint, calls]) => [endpoint, calls]);
    expect(callsIn(shown), 'run `npm run docs` and commit docs/data-model.md').toEqual(
      callsIn(markdown(patternTable(measured.operations.filter(isShown)))),
    );
  });
});

/** So many numbers of a list cost a read unit for each field that filters it. */
const NUMBERS_A_UNIT = 14_000;
const NUMBERS = 2 * NUMBERS_A_UNIT;

describe.skipIf(!HAS_ENGINE)('a page', () => {
  const org = randomUUID();
  const client = randomUUID();
  const kind = jobsBy(3);
  let dynamoDb: EmbeddedDynamoDb;
  let table: Table;
  let recorder: Recorder;
  beforeAll(async () => {
    dynamoDb = await startDynamoDb({ dataDir: ':memory:', engine: 'dynoxide' });
    table = await jobTable(dynamoDb.endpoint, new Conflicts({ milliseconds: 0 }));
    const loader = new Loader(table, org, kind);
    // Every tenth has the first value, scattered; nearly all have the second; the third field has long values.
    for (let index = 0; index < NUMBERS; index++) {
      const values = [(index * 7) % 10 === 0 ? 'rare' : 'usual', index % 50 === 0 ? 'other' : 'most', client];
      await loader.create(newJob(3, (field) => values[field] ?? null));
    }
    await loader.flush(table);
    recorder = new Recorder(table);
  });
  afterAll(() => dynamoDb.stop());

  async function read(page: number, filter: Filter, pageSize = 25) {
    const response: { total?: number; records?: number } = {};
    const calls = await recorder.record(async () => {
      const jobs = jobsOf(org, new RequestSession(table, systemClock, Date.now() + 10_000), kind);
      const { total, records } = await jobs.page(asked({ page, page_size: pageSize, sort: '-created_at', filter }));
      Object.assign(response, { total, records: records.length });
    });
    const isOfSets = ({ operation, input }: Call) =>
      operation === 'GetItem' ||
      (operation === 'Query' && JSON.stringify(input.ExpressionAttributeValues).includes('#SET"'));
    const unitsOf = (some: readonly Call[]) => some.reduce((sum, { readUnits }) => sum + readUnits, 0);
    return {
      ...response,
      roundTrips: roundTripsOf(calls).length,
      sets: unitsOf(calls.filter(isOfSets)),
      ofRecords: unitsOf(calls.filter((call) => !isOfSets(call))),
    };
  }

  it.each([
    { what: 'without a filter', filter: {}, total: NUMBERS, fields: 0, firstRoundTrips: 1, ofRecords: 4 },
    { what: 'of few', filter: { f1: 'rare' }, total: NUMBERS / 10, fields: 1, firstRoundTrips: 2, ofRecords: 13 },
    {
      what: 'of nearly all',
      filter: { f2: 'most' },
      total: NUMBERS * 0.98,
      fields: 1,
      firstRoundTrips: 2,
      ofRecords: 3,
    },
    {
      what: 'by three fields',
      filter: { f1: 'rare', f2: 'most', f3: client },
      total: NUMBERS * 0.08,
      fields: 3,
      firstRoundTrips: 2,
      ofRecords: 13,
    },
  ])('$what costs the same wherever it is, and no more than it may', async (list) => {
    const { filter, total, fields, firstRoundTrips, ofRecords } = list;
    const last = Math.ceil(total / 25);
    const pages = [];
    for (const page of [1, 2, Math.floor(last / 2), last - 1]) pages.push(await read(page, filter));
    for (const [index, page] of pages.entries()) {
      expect(page).toMatchObject({ total, records: 25 });
      expect(page.roundTrips).toBeLessThanOrEqual(index === 0 ? firstRoundTrips : 2);
      expect(page.ofRecords).toBeLessThanOrEqual(ofRecords);
      // The counter item costs one, or a half beside sets.
      expect(page.sets).toBeLessThanOrEqual(fields === 0 ? 1 : 0.5 + (fields * NUMBERS) / NUMBERS_A_UNIT);
      expect([page.sets, page.ofRecords]).toEqual([pages[0]?.sets, pages[0]?.ofRecords]);
    }
  });

  it('of the largest size takes two round trips too, however scattered its records are', async () => {
    for (const page of [1, 10]) {
      expect(await read(page, { f1: 'rare' }, 200)).toMatchObject({ roundTrips: 2, records: 200, ofRecords: 100 });
    }
  });
});

describe.skipIf(!HAS_ENGINE)('a page of more than 1 MB, which is more than a query returns,', () => {
  const org = randomUUID();
  const kind = jobsBy(2);
  const created: Job[] = [];
  let dynamoDb: EmbeddedDynamoDb;
  let recorder: Recorder;
  let table: Table;
  const open = () => new RequestSession(table, systemClock, Date.now() + 60_000);
  const counterKey = counterKeyOf(`ORG#${org}#JOB`);
  const noted = async () =>
    (await table.client.send(new GetCommand({ TableName: table.name, Key: counterKey }))).Item?.LARGEST;
  beforeAll(async () => {
    dynamoDb = await startDynamoDb({ dataDir: ':memory:', engine: 'dynoxide' });
    table = await jobTable(dynamoDb.endpoint, new Conflicts({ milliseconds: 0 }));
    const loader = new Loader(table, org, kind);
    for (let index = 0; index < 119; index++) {
      const values = [index % 6 === 0 ? 'rare' : 'usual', index % 2 === 0 ? 'even' : 'odd'];
      const notes = 'x'.repeat(index % 5 === 0 ? 20_000 : 120_000);
      const { record } = await loader.create({ ...newJob(2, (field) => values[field] ?? null), notes });
      created.push(record);
    }
    await loader.flush(table);
    // What is loaded is not noted.
    const session = open();
    const notes = 'x'.repeat(121_000);
    const largest = await jobsOf(org, session, kind).create({ fields: { ...newJob(2, () => 'odd'), notes } });
    await session.commit();
    created.push(largest.record);
    recorder = new Recorder(table);
  });
  afterAll(() => dynamoDb.stop());

  async function read(sort: '-created_at' | 'created_at', page: number, page_size: number, filter: Filter) {
    let ids: readonly string[] = [];
    const calls = await recorder.record(async () => {
      const { records } = await jobsOf(org, open(), kind).page(asked({ page, page_size, sort, filter }));
      ids = records.map(({ record }) => record.id);
    });
    const listed = created.filter((job) =>
      Object.entries(filter).every(([field, value]) => job[field as keyof Job] === value),
    );
    if (sort === '-created_at') listed.reverse();
    expect(ids).toEqual(listed.slice((page - 1) * page_size, page * page_size).map(({ id }) => id));
    return roundTripsOf(calls).length;
  }

  const pages = [
    { sort: '-created_at', page: 1, page_size: 25, filter: {}, roundTrips: 2, unnoted: 2 },
    { sort: 'created_at', page: 1, page_size: 25, filter: {}, roundTrips: 2, unnoted: 3 },
    { sort: '-created_at', page: 3, page_size: 40, filter: {}, roundTrips: 2, unnoted: 3 },
    { sort: 'created_at', page: 2, page_size: 40, filter: {}, roundTrips: 2, unnoted: 3 },
    { sort: '-created_at', page: 2, page_size: 25, filter: { f2: 'even' }, roundTrips: 2, unnoted: 3 },
    { sort: '-created_at', page: 1, page_size: 20, filter: { f1: 'rare' }, roundTrips: 2, unnoted: 2 },
  ] as const;

  it.each(pages)('takes two round trips too: $page of $page_size by $filter, $sort', async (list) => {
    expect(await read(list.sort, list.page, list.page_size, list.filter)).toBe(list.roundTrips);
  });

  it('takes one round trip more at most where the size of the list’s records is not noted', async () => {
    const update = (expression: string, values?: Record<string, unknown>) =>
      table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: counterKey,
          UpdateExpression: expression,
          ExpressionAttributeValues: values,
        }),
      );
    const largest = await noted();
    await update('REMOVE LARGEST');
    for (const { sort, page, page_size, filter, unnoted } of pages)
      expect(await read(sort, page, page_size, filter)).toBe(unnoted);
    await update('SET LARGEST = :largest', { ':largest': largest });
  });

  it('costs a call more only where a record is larger than all before', async () => {
    const before = Number(await noted());
    expect(before).toBeGreaterThan(120_000);
    const writes = async (write: (jobs: ReturnType<typeof jobsOf>) => Promise<unknown>) => {
      const calls = await recorder.record(async () => {
        const session = open();
        await write(jobsOf(org, session, kind));
        await session.commit();
      });
      return calls.map(({ operation }) => operation).filter((operation) => /Update|Write/.test(operation));
    };
    const job = (bytes: number) => ({ ...newJob(2), notes: 'x'.repeat(bytes) });
    expect(await writes((jobs) => jobs.create({ fields: job(100_000) }))).toEqual(['UpdateItem', 'TransactWriteItems']);
    expect(await noted()).toBe(before);
    const larger = ['UpdateItem', 'UpdateItem', 'TransactWriteItems'];
    expect((await writes((jobs) => jobs.create({ fields: job(150_000) }))).toSorted()).toEqual(larger.toSorted());
    const then = Number(await noted());
    expect(then).toBeGreaterThan(150_000);
    await writes(async (jobs) => {
      const small = await jobs.get(created[0]?.id ?? '');
      if (small !== undefined) await jobs.update(small, { notes: 'x'.repeat(180_000) });
    });
    expect(await noted()).toBeGreaterThan(180_000);
  });
});
