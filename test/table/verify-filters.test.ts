import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { ListNotBuilt } from '../../shared/table/errors.ts';
import { COUNTER } from '../../shared/table/keys.ts';
import { type Entity, entity } from '../../shared/table/repository/entity.ts';
import type { Filter } from '../../shared/table/repository/records.ts';
import { Session } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { kind } from '../../shared/table/verify/kinds.ts';
import { verify } from '../../shared/table/verify/verify.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { GatedHandler } from '../support/gate.ts';
import { doIn, tableAt } from '../support/storage.ts';

/** A filter that is added to an entity with records: two releases of the service, of which the later one declares it. */

interface Job {
  id: string;
  state: string;
  owner: string | null;
}

const before = entity<Job>('JOB', { filters: ['state'] });
const after = entity<Job>('JOB', { filters: ['state', 'owner'] });

let place: FreshTable;
let table: Table;
beforeAll(async () => {
  place = await freshTable();
  table = tableAt(place);
});

const open = (org: string): Tenant => Tenant.ofOperator(org, new Session(table, systemClock, systemClock() + 10_000));

async function create(org: string, release: Entity<Job>, fields: Omit<Job, 'id'>): Promise<string> {
  const tenant = open(org);
  const { record } = await tenant.records(release).create(fields);
  await tenant.session.commit();
  return record.id;
}

async function change(org: string, release: Entity<Job>, id: string, changes: Partial<Job> | undefined) {
  const tenant = open(org);
  const jobs = tenant.records(release);
  const stored = await jobs.get(id);
  if (stored === undefined) throw new Error('missing');
  if (changes === undefined) jobs.remove(stored);
  else await jobs.update(stored, changes);
  await tenant.session.commit();
}

async function idsOf(org: string, filter: Filter, release = after): Promise<string[]> {
  const page = await open(org).records(release).page({ page: 1, page_size: 100, sort: 'created_at', filter });
  expect(page.total).toBe(page.records.length);
  return page.records.map(({ record }) => record.id);
}

/** No call runs out of time, however slow the machine is. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
}

const differences = async (org: string, repair: boolean) =>
  (await verify(open(org), [kind(after)], { repair })).differences;

describe('a filter that is added later', () => {
  it('is refused until the operator has built it, and then serves all records', async () => {
    const org = randomUUID();
    const ids: string[] = [];
    for (let index = 0; index < 70; index++) {
      ids.push(await create(org, before, { state: 'open', owner: ['ana', 'rui', null][index % 3] ?? null }));
    }
    await change(org, before, ids[3] ?? '', undefined);
    await expect(idsOf(org, { owner: 'ana' })).rejects.toThrow(ListNotBuilt);
    await expect(idsOf(org, { owner: 'ana', state: 'open' })).rejects.toThrow(ListNotBuilt);

    const [difference, ...others] = await differences(org, false);
    expect(others).toEqual([]);
    expect(difference).toMatchObject({
      kind: 'filter-not-built',
      field: 'owner',
      text: 'JOB the lists by owner are not built: 69 of 69 records are missing in them',
      repaired: false,
    });
    await expect(idsOf(org, { owner: 'ana' })).rejects.toThrow(ListNotBuilt);

    expect(await differences(org, true)).toMatchObject([{ kind: 'filter-not-built', repaired: true }]);
    expect(await differences(org, false)).toEqual([]);
    const expected = ids.filter((_, index) => index % 3 === 0 && index !== 3);
    expect(await idsOf(org, { owner: 'ana', state: 'open' })).toEqual(expected);
    // The version is the caller's: building a filter is no change of the record.
    expect(
      (
        await open(org)
          .records(after)
          .get(ids[0] ?? '')
      )?.version,
    ).toBe(1);
  });

  it('keeps its lists right while the release before it is at work as well', async () => {
    const org = randomUUID();
    const make = (release: Entity<Job>, owner: string) => create(org, release, { state: 'open', owner });
    const old = await make(before, 'ana');
    await differences(org, true);
    const [byNew, byOld, moved, gone] = [
      await make(after, 'ana'),
      await make(before, 'ana'),
      await make(after, 'rui'),
      await make(after, 'ana'),
    ];
    await change(org, before, moved, { owner: 'ana' });
    await change(org, before, byNew, { state: 'done' });
    await change(org, before, gone, undefined);
    expect(await differences(org, false)).toEqual([]);
    expect(await idsOf(org, { owner: 'ana' })).toEqual([old, byNew, byOld, moved]);
    await change(org, after, byNew, { owner: 'rui' });
    await change(org, after, old, { owner: null });
    expect(await idsOf(org, { owner: 'ana' })).toEqual([byOld, moved]);
    expect(await idsOf(org, { owner: 'rui' })).toEqual([byNew]);
    expect(await differences(org, false)).toEqual([]);
  });

  it('has the record of a writer that took its number before the filter was noted, and wrote it afterwards', async () => {
    stopTime();
    const org = randomUUID();
    const first = await create(org, before, { state: 'open', owner: 'ana' });
    const plain = table;
    const gate = new GatedHandler();
    const held = gate.hold('TransactWriteItems');
    table = tableAt(place, gate);
    const late = doIn(open(org), (tenant) => tenant.records(before).create({ state: 'open', owner: 'ana' }));
    table = plain;
    const release = await held;
    expect(await differences(org, true)).toMatchObject([{ kind: 'filter-not-built', repaired: true }]);
    release();
    const { record } = await late;
    expect(await idsOf(org, { owner: 'ana' })).toEqual([first, record.id]);
  });

  it.each([
    ['', undefined],
    [', where transactions meet as in DynamoDB', new ConflictingHandler(new Conflicts())],
  ])('is built while records come, change and go%s', async (_, handler) => {
    stopTime();
    const plain = table;
    onTestFinished(() => {
      table = plain;
    });
    table = tableAt(place, handler);
    const org = randomUUID();
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_, index) => create(org, before, { state: 'open', owner: `o${index % 4}` })),
    );
    const writing = Promise.all(
      ids
        .map(async (id, index) => {
          if (index % 3 === 0) await change(org, after, id, { owner: 'o0' });
          if (index % 3 === 1) await change(org, after, id, undefined);
          if (index % 3 === 2) await create(org, after, { state: 'done', owner: 'o1' });
        })
        .map((each) => each.catch(ifStale)),
    );
    for (let round = 0; round < 3; round++) await differences(org, true);
    await writing;
    expect((await differences(org, true)).filter(({ repaired }) => !repaired)).toEqual([]);
    expect(await differences(org, false)).toEqual([]);
    const all = await open(org).records(after).page({ page: 1, page_size: 200, sort: 'created_at' });
    for (const owner of ['o0', 'o1', 'o2', 'o3']) {
      const expected = all.records.filter(({ record }) => record.owner === owner).map(({ record }) => record.id);
      expect(await idsOf(org, { owner })).toEqual(expected);
    }
  });
});

/** Nobody knows then which filters the records stand in: they may be older than the notes. */
describe('a list with records whose head notes no filters', () => {
  const aged = entity<Job>('AGED', { filters: ['state', 'owner'], retentionDays: 30 });
  const forget = (org: string, { name }: Entity<Job>) =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: { PK: `ORG#${org}#${name}#SET`, SK: COUNTER },
        UpdateExpression: 'REMOVE FILTERS',
        ConditionExpression: 'attribute_exists(FILTERS)',
      }),
    );

  it.each([after, aged])(
    '$name: is refused by each of them, also when more records come, until they were built',
    async (of) => {
      const org = randomUUID();
      const first = await create(org, of, { state: 'open', owner: 'ana' });
      await forget(org, of);
      await expect(idsOf(org, { owner: 'ana' }, of)).rejects.toThrow(ListNotBuilt);
      expect(await idsOf(org, {}, of)).toEqual([first]);

      const rest = await Promise.all(['ana', 'rui'].map((owner) => create(org, of, { state: 'open', owner })));
      await expect(idsOf(org, { state: 'open' }, of)).rejects.toThrow(ListNotBuilt);
      await expect(
        open(org)
          .records(of)
          .cursorPage({ limit: 5, filter: { state: 'open' } }),
      ).rejects.toThrow(ListNotBuilt);
      expect((await idsOf(org, {}, of)).toSorted()).toEqual([first, ...rest].toSorted());

      const built = (await verify(open(org), [kind(of)], { repair: true })).differences;
      expect(built.map(({ kind, field, repaired }) => [kind, field, repaired])).toEqual([
        ['filter-not-built', 'state', true],
        ['filter-not-built', 'owner', true],
      ]);
      expect((await idsOf(org, { state: 'open', owner: 'ana' }, of)).toSorted()).toEqual([first, rest[0]].toSorted());
    },
  );
});

/** The pipeline would run the operation again. */
const ifStale = (error: unknown): void => {
  if (!(error instanceof Error && error.name === 'StaleRead')) throw error;
};
