import { randomUUID } from 'node:crypto';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { COUNTER, setPartition } from '../../shared/table/keys.ts';
import { bitPlace } from '../../shared/table/lists/bits.ts';
import { type Entity, entity } from '../../shared/table/repository/entity.ts';
import { Session } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { kind } from '../../shared/table/verify/kinds.ts';
import { verify } from '../../shared/table/verify/verify.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { PausingHandler } from '../support/pauses.ts';
import { doIn, tableAt } from '../support/storage.ts';

/** What verifying repairs in the storage of a list itself. */

interface Job {
  id: string;
  state: string;
  owner: string;
}

const jobs = entity<Job>('JOB', { filters: ['state', 'owner'] });
const jobsBefore = entity<Job>('JOB', { filters: ['state'] });
const lines = entity<Job>('LINE', { filters: ['state', 'owner'], retentionDays: 30 });

let fresh: FreshTable;
let table: Table;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});
let org: string;
beforeEach(() => {
  org = randomUUID();
});

const open = (own = table): Tenant => Tenant.ofOperator(org, new Session(own, systemClock, systemClock() + 10_000));
const create = async (what: Entity<Job>, own?: Table): Promise<string> => {
  const { record } = await doIn(open(own), (tenant) => tenant.records(what).create({ state: 'done', owner: 'ana' }));
  return record.id;
};
const idsOf = async (what: Entity<Job>, filter = {}): Promise<string[]> => {
  const page = await open().records(what).page({ page: 1, page_size: 100, sort: 'created_at', filter });
  expect(page.total).toBe(page.records.length);
  return page.records.map(({ record }) => record.id);
};
const differences = async (what: Entity<Job>, repair: boolean) =>
  (await verify(open(), [kind(what)], { repair })).differences.map((found) => [found.kind, found.repaired]);

const setWord = (value: bigint) =>
  table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { PK: setPartition(`ORG#${org}#JOB`, 'state', 'done'), SK: bitPlace(0).sortKey },
      UpdateExpression: 'SET W0 = :value',
      ExpressionAttributeValues: { ':value': value },
    }),
  );

describe('a damaged word', () => {
  it.each([-1n, 2n ** 100n + 1n, 2n ** 100n, 2n ** 100n - 1n])('is repaired: %i', async (value) => {
    const ids = [await create(jobs), await create(jobs)];
    await setWord(value);
    const found = await differences(jobs, true);
    expect(found.map(([, repaired]) => repaired)).not.toContain(false);
    expect(found.length).toBeGreaterThan(0);
    expect(await differences(jobs, false)).toEqual([]);
    expect(await idsOf(jobs, { state: 'done' })).toEqual(ids);
  });
});

describe('the head of a list', () => {
  it.each([jobs, lines])('that was lost is put together from the records: $name', async (what) => {
    const ids = [await create(what), await create(what), await create(what)];
    await table.client.send(
      new DeleteCommand({ TableName: table.name, Key: { PK: setPartition(`ORG#${org}#${what.name}`), SK: COUNTER } }),
    );
    expect(await idsOf(what)).toEqual([]);
    expect(await differences(what, true)).toContainEqual(['head-behind', true]);
    expect(await differences(what, true)).toEqual([]);
    expect(await idsOf(what)).toEqual(ids);
    expect(await idsOf(what, { state: 'done' })).toEqual(ids);
    const more = await create(what);
    expect(await idsOf(what)).toEqual([...ids, more]);
  });
});

describe('a filter that is built', () => {
  it('has also the record of a writer that knew nothing of it and was on its way', async () => {
    const first = await create(jobsBefore);
    const writer = new PausingHandler();
    const paused = writer.pauseBefore('TransactWriteItems');
    const writing = create(jobsBefore, tableAt(fresh, writer));
    await paused.reached;
    expect(await differences(jobs, true)).toContainEqual(['filter-not-built', true]);
    paused.release();
    const second = await writing;
    expect(await idsOf(jobs, { owner: 'ana' })).toEqual([first, second]);
    expect(await differences(jobs, false)).toEqual([]);
  });
});
