import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kinds } from '../../operator/kinds.ts';
import { uuid, word } from '../../shared/contract/fields.ts';
import { readOnly, record } from '../../shared/contract/record.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { TableUnavailable } from '../../shared/table/errors.ts';
import { recordsPartition, valueKey } from '../../shared/table/keys.ts';
import { type Entity, entity } from '../../shared/table/repository/entity.ts';
import { readValues } from '../../shared/table/repository/filter-values.ts';
import { kind } from '../../shared/table/verify/kinds.ts';
import { verify } from '../../shared/table/verify/verify.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { openTenant, tableAt } from '../support/storage.ts';

/** Values that callers choose for filters are noted before their first use (`docs/decisions/0170-filters.md`). */

const fields = () => ({ id: readOnly(uuid()), status: word(), color: word().nullable().default(null) });
const job = record('Job', fields);
const jobs = entity('JOB', job, { filters: ['status'] });
const lines = entity('LINE', job, { filters: ['status'], retentionDays: 30 });
type Job = { id: string; status: string; color: string | null };

const wire = new FaultyHandler();
let fresh: FreshTable;
let table: Table;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh, wire);
});
let org: string;
beforeEach(() => {
  org = randomUUID();
});

const DAY = 86_400_000;
const create = async (status: string, { of = jobs as Entity<Job>, now = Date.now(), patience = 10_000 } = {}) => {
  const tenant = openTenant(table, org, () => now, patience);
  const stored = await tenant.records(of).create({ status, color: 'red' });
  await tenant.session.commit();
  return stored;
};
const partitionOf = (of: Pick<Entity, 'name'>) => recordsPartition(openTenant(table, org).id, of.name);
const notedIn = async (of: Pick<Entity, 'name'> = jobs) => {
  const values = await readValues({ table, clock: Date.now }, partitionOf(of));
  return Object.fromEntries(Array.from(values, ([field, found]) => [field, [...found].toSorted()]));
};
const callsOf = async (work: () => Promise<unknown>, plan: () => Fault | undefined = () => undefined) => {
  wire.follow(plan);
  await work();
  wire.plan = () => undefined;
  return [...wire.calls];
};

describe('a value that callers choose', () => {
  it('is noted beside the number, once in a container, and only of filters', async () => {
    const first = await callsOf(() => create('open'));
    expect([first.slice(0, 2).toSorted(), first.slice(2)]).toEqual([['PutItem', 'UpdateItem'], ['TransactWriteItems']]);
    expect(await callsOf(() => create('open'))).toEqual(['UpdateItem', 'TransactWriteItems']);
    expect(await notedIn()).toEqual({ status: ['open'] });
  });

  it('is noted by a change, with the one that the record leaves, and by none that leaves it as it is', async () => {
    const stored = await create('open');
    const tenant = openTenant(table, org);
    const change = await callsOf(async () => {
      await tenant.records(jobs).update(stored, { status: 'done' });
      await tenant.session.commit();
    });
    expect(change).toEqual(['PutItem', 'TransactWriteItems']);
    expect(await notedIn()).toEqual({ status: ['done', 'open'] });
  });

  it('is not used unless it is noted', async () => {
    wire.follow(({ operation }) => (operation === 'PutItem' ? 'throttled' : undefined));
    let now = Date.now();
    const tenant = openTenant(table, org, () => (now += 500), 5_000);
    await tenant.records(jobs).create({ status: 'open', color: null });
    await expect(tenant.session.commit()).rejects.toThrow(TableUnavailable);
    expect(wire.calls).not.toContain('TransactWriteItems');
    wire.follow(() => undefined);
    await create('open');
    expect(await notedIn()).toEqual({ status: ['open'] });
  });
});

describe('a filter that a later release adds', () => {
  const later = entity('JOB', job, { filters: ['status', 'color'] });
  const verified = async (repair: boolean) => {
    const { differences } = await verify(openTenant(table, org), [kind(later)], { repair });
    return differences.map(({ kind: of, field, repaired }) => [of, field, repaired]);
  };

  it('has the values of older records noted when it is built, before its sets have them', async () => {
    await create('open');
    expect(await notedIn()).toEqual({ status: ['open'] });
    const sent = await callsOf(async () => expect(await verified(true)).toEqual([['filter-not-built', 'color', true]]));
    expect(sent.filter((call) => /^(Put|TransactWrite)/.test(call))[0]).toBe('PutItem');
    expect(await verified(false)).toEqual([]);
    expect(await notedIn()).toEqual({ status: ['open'], color: ['red'] });
  });

  it('has its values noted also by the release before, where that writes into its sets', async () => {
    await create('open', { of: later });
    const stored = await create('open');
    const change = async (of: typeof jobs, color: string) => {
      const tenant = openTenant(table, org);
      const found = await tenant.records(of).get(stored.record.id);
      if (found === undefined) throw new Error('missing');
      await tenant.records(of).update(found, { color });
      await tenant.session.commit();
    };
    await change(jobs, 'green');
    await change(jobs, 'blue');
    expect(await notedIn()).toEqual({ status: ['open'], color: ['blue', 'green', 'red'] });
    expect(await verified(false)).toEqual([]);
  });
});

describe('where records expire', () => {
  const expiry = async () => {
    const Key = { ...valueKey(partitionOf(lines), 'status', 'open') };
    const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }));
    return Number(Item?.TTL) * 1_000;
  };

  it('a value is noted once a day, for longer than its records and their sets are kept', async () => {
    const now = Date.now();
    const callsIn = (days: number) => callsOf(() => create('open', { of: lines, now: now + days * DAY }));
    expect(await callsIn(0)).toHaveLength(3);
    expect(await callsIn(0)).toHaveLength(2);
    expect(await expiry()).toBeGreaterThan(now + (30 + 35) * DAY);
    expect(await callsIn(1)).toHaveLength(3);
    expect(await expiry()).toBeGreaterThan(now + (31 + 35) * DAY);
  });

  it('a container whose clock is sixty days behind takes nothing away', async () => {
    const now = Date.now();
    await create('open', { of: lines, now });
    const before = await expiry();
    await create('open', { of: lines, now: now - 60 * DAY });
    expect(await expiry()).toBe(before);
  });
});

describe('the filters of this service', () => {
  it('take values of callers where neither the contract nor another record says which there are', () => {
    const open = kinds.flatMap(({ entity: { name, openFilters } }) => openFilters.map((field) => `${name} ${field}`));
    expect(open.toSorted()).toEqual([
      'CLIENT status',
      'RESOURCE health_status',
      'RESOURCE status',
      'SERVICE health_status',
      'SERVICE status',
      'SERVICE_ACTION status',
      'TERMINAL status',
      'TICKET assigned_to',
      'WEBHOOK_EVENT event_type',
    ]);
  });

  it('take none that would not fit into a sort key of 1,024 bytes, nor raise the note above one write unit', () => {
    for (const { entity } of kinds) {
      for (const field of entity.openFilters) {
        expect(entity.record?.fieldOf(field)?.safeParse('x'.repeat(900)).success, `${entity.name} ${field}`).toBe(
          false,
        );
      }
    }
  });
});
