import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/dynamodb/client.ts';
import { systemClock } from '../../shared/clock.ts';
import { exactly } from '../../shared/contract/constraints.ts';
import { type Table, tableOf } from '../../shared/table/connection/client.ts';
import { NotUnique, StaleRead } from '../../shared/table/errors.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { Session } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { aCaller } from '../support/caller.ts';
import { freshTable } from '../support/dynamodb.ts';

interface Job {
  id: string;
  code: string;
  state: string;
  owner: string | null;
  data: unknown;
}

const jobs = entity<Job>('JOB', {
  filters: ['state', 'owner'],
  json: ['data'],
  unique: { code: exactly },
});

let table: Table;
beforeAll(async () => {
  const { tableName, endpoint } = await freshTable();
  table = tableOf(tableName, { endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
});

/** A handle to one tenant in a session of its own. */
function open(orgId: string): Tenant {
  return Tenant.of(aCaller(orgId), new Session(table, systemClock, Date.now() + 10_000));
}

async function createJob(orgId: string, fields: Partial<Job> = {}) {
  const tenant = open(orgId);
  const job = await tenant
    .records(jobs)
    .create({ code: randomUUID(), state: 'open', owner: null, data: null, ...fields });
  await tenant.session.commit();
  return job;
}

const firstPage = { page: 1, page_size: 10, sort: 'created_at' } as const;

describe('a collection', () => {
  it('gives back what was created, to the letter', async () => {
    const org = randomUUID();
    const data = JSON.parse('{"__proto__":{"a":1},"big":1e300,"deep":[[[{}]]],"lone":"\\ud800"}');
    const { record } = await createJob(org, { data });
    const read = await open(org).records(jobs).get(record.id);
    expect(JSON.stringify(read?.record.data)).toBe(JSON.stringify(data));
    expect(read?.version).toBe(1);
  });

  it('lists in order, whole and by filter, and moves between filters', async () => {
    const org = randomUUID();
    const created = [];
    for (const state of ['open', 'open', 'done', 'open']) created.push(await createJob(org, { state, owner: 'me' }));
    const page = await open(org).records(jobs).page(firstPage);
    expect(page.total).toBe(4);
    expect(page.records.map(({ record }) => record.id)).toEqual(created.map(({ record }) => record.id));

    const tenant = open(org);
    const second = await tenant.records(jobs).get(created[1]?.record.id ?? '');
    if (second === undefined) throw new Error('missing');
    await tenant.records(jobs).update(second, { state: 'done' });
    await tenant.session.commit();

    const done = await open(org)
      .records(jobs)
      .page({ ...firstPage, filter: { state: 'done' } });
    expect([done.total, done.records.map(({ record }) => record.id)]).toEqual([
      2,
      [created[1]?.record.id, created[2]?.record.id],
    ]);
    const open_ = await open(org)
      .records(jobs)
      .page({ ...firstPage, sort: '-created_at', filter: { state: 'open', owner: 'me' } });
    expect([open_.total, open_.records.map(({ record }) => record.id)]).toEqual([
      2,
      [created[3]?.record.id, created[0]?.record.id],
    ]);
  });

  it('forgets a deleted record in every list and frees its unique values', async () => {
    const org = randomUUID();
    const { record } = await createJob(org, { code: 'only' });
    await expect(createJob(org, { code: 'only' })).rejects.toThrow(NotUnique);
    const tenant = open(org);
    const stored = await tenant.records(jobs).get(record.id);
    if (stored === undefined) throw new Error('missing');
    tenant.records(jobs).remove(stored);
    await tenant.session.commit();
    expect(await open(org).records(jobs).get(record.id)).toBeUndefined();
    const again = await createJob(org, { code: 'only' });
    expect((await open(org).records(jobs).page(firstPage)).records.map((job) => job.record.id)).toContain(
      again.record.id,
    );
  });

  it('refuses a change of a record that has changed since it was read', async () => {
    const org = randomUUID();
    const { record } = await createJob(org);
    const [one, other] = [open(org), open(org)];
    const [mine, theirs] = [await one.records(jobs).get(record.id), await other.records(jobs).get(record.id)];
    if (mine === undefined || theirs === undefined) throw new Error('missing');
    await one.records(jobs).update(mine, { owner: 'me' });
    await one.session.commit();
    await other.records(jobs).update(theirs, { owner: 'them' });
    await expect(other.session.commit()).rejects.toThrow(StaleRead);
  });

  it('does not show one tenant what another has', async () => {
    const { record } = await createJob(randomUUID());
    expect(await open(randomUUID()).records(jobs).get(record.id)).toBeUndefined();
  });

  it('gives 64 creates at once 64 numbers without a conflict', async () => {
    const org = randomUUID();
    await Promise.all(Array.from({ length: 64 }, () => createJob(org)));
    const { total, records } = await open(org)
      .records(jobs)
      .page({ ...firstPage, page_size: 200 });
    expect([total, new Set(records.map(({ record }) => record.id)).size]).toEqual([64, 64]);
  });
});

describe('a session', () => {
  it('does not end before the checks of a run that was dropped, for Lambda would stop them half-way', async () => {
    const { session } = open(randomUUID());
    let isDone = false;
    session.check(async () => {
      await nextTurn();
      isDone = true;
    });
    session.restart();
    await session.commit();
    expect(isDone).toBe(true);
  });
});
