import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { listErrors } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { readOnly, record } from '#contract';
import * as field from '#contract/field';
import { type Entity, entity, PLATFORM, set, valueKey } from '#table';
import { indexesOf, readValues } from '#table/storage';
import { kinds } from '../../operator/kinds.ts';
import { FaultyHandler } from '../support/faults.ts';
import { openTenant } from '../support/storage.ts';
import { tableSending } from '../support/table-sending.ts';
import { TestList, useTable } from './test-list.ts';

/** Values that callers choose for filters are noted before their first use (`docs/decisions/0170-filters.md`). */

type Job = { id: string; status: string; color: string | null };
const job = record('Job', () => ({
  id: readOnly(field.uuid()),
  status: field.word(),
  color: field.word().nullable().default(null),
}));
const DEFAULTS = { status: 'open', color: 'red' };

const table = useTable();
const jobs = new TestList<Job>(table, entity('JOB', job, { indexes: [set('status')] }) as never, DEFAULTS);
/** Of a later release. */
const later = new TestList<Job>(
  table,
  entity('JOB', job, { indexes: [set('status'), set('color')] }) as never,
  DEFAULTS,
);
const lines = new TestList<Job>(
  table,
  entity('LINE', job, { indexes: [set('status')], retentionDays: 30 }) as never,
  DEFAULTS,
);

/** More values than a container remembers. */
const MANY_VALUES = 10_001;

/** Makes this process forget the values that it has noted, like another container. Writes nothing. */
async function forgetValues(): Promise<void> {
  const table = tableSending(async () => ({ Attributes: { NEXT: MANY_VALUES } }));
  const others = openTenant(table, randomUUID()).records(jobs.entity);
  await others.createAll(Array.from({ length: MANY_VALUES }, (_, index) => ({ ...DEFAULTS, status: `v${index}` })));
  await nextTurn();
}

const noted = async () => {
  const values = await readValues({ table: table.table, clock: Date.now }, jobs.partition);
  return Object.fromEntries(Array.from(values, ([field, found]) => [field, [...found].toSorted()]));
};
/** The writes of DynamoDB that are called. */
const writesOf = async (work: (how: { over: FaultyHandler }) => Promise<unknown>) => {
  const over = new FaultyHandler();
  await work({ over });
  return over.calls.filter((call) => /^(Put|Update|Transact)/.test(call));
};

describe('a value that callers choose', () => {
  it('is noted beside the number, once in a container, and only of filters', async () => {
    const [first, second] = [
      await writesOf((how) => jobs.create({}, how)),
      await writesOf((how) => jobs.create({}, how)),
    ];
    expect([first.slice(0, 2).toSorted(), first.slice(2)]).toEqual([['PutItem', 'UpdateItem'], ['TransactWriteItems']]);
    expect(second).toEqual(['UpdateItem', 'TransactWriteItems']);
    expect(await noted()).toEqual({ status: ['open'] });
  });

  it('is noted by a change, with the one that the record leaves, and by none that leaves it as it is', async () => {
    const id = await jobs.createId();
    const change = () => writesOf((how) => jobs.change(id, { status: 'done' }, how));
    expect([await change(), await change()]).toEqual([['PutItem', 'TransactWriteItems'], ['TransactWriteItems']]);
    expect(await noted()).toEqual({ status: ['done', 'open'] });
  });

  it('is noted by a change that leaves it, where it was first used before values were noted', async () => {
    const id = await jobs.createId();
    const { PK, SK } = valueKey(jobs.partition, 'status', 'open');
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key: { PK, SK } }));
    await forgetValues();
    await jobs.change(id, { status: 'done' });
    expect(await noted()).toEqual({ status: ['done', 'open'] });
  });

  it('is not used unless it is noted', async () => {
    const over = new FaultyHandler();
    over.follow(({ operation }) => (operation === 'PutItem' ? 'throttled' : undefined));
    let now = Date.now();
    await expect(jobs.create({}, { over, at: () => (now += 500), patience: 5_000 })).rejects.toThrow(
      listErrors.TableUnavailable,
    );
    expect(over.calls).not.toContain('TransactWriteItems');
    await jobs.create();
    expect(await noted()).toEqual({ status: ['open'] });
  });

  it('has it noted for older records when a filter is built, before its sets have them', async () => {
    await jobs.create();
    const sent = await writesOf(async (how) =>
      expect((await later.verify(true, how)).differences).toMatchObject([{ kind: 'filter-not-built', repaired: true }]),
    );
    expect(sent.find((call) => /^(Put|TransactWrite)/.test(call))).toBe('PutItem');
    expect((await later.verify(false)).differences).toEqual([]);
    expect(await noted()).toEqual({ status: ['open'], color: ['red'] });
  });

  it('is noted also by the release before, where that writes into sets of a later one', async () => {
    await later.create();
    const id = await jobs.createId();
    for (const color of ['green', 'blue']) await jobs.change(id, { color });
    expect(await noted()).toEqual({ status: ['open'], color: ['blue', 'green', 'red'] });
    expect((await later.verify(false)).differences).toEqual([]);
  });
});

describe('where records expire', () => {
  const DAY = 86_400_000;
  const now = Date.now();
  const expiry = async () => Number((await table.item(valueKey(lines.partition, 'status', 'open')))?.TTL) * 1_000;
  const writesOn = (day: number) => writesOf((how) => lines.create({}, { ...how, at: () => now + day * DAY }));

  it('a value is noted once a day, for longer than its records and their sets are kept', async () => {
    expect([(await writesOn(0)).length, (await writesOn(0)).length]).toEqual([3, 2]);
    expect(await expiry()).toBeGreaterThan(now + (30 + 35) * DAY);
    expect(await writesOn(1)).toHaveLength(3);
    expect(await expiry()).toBeGreaterThan(now + (31 + 35) * DAY);
  });

  it('a container whose clock is sixty days behind takes nothing away', async () => {
    await writesOn(0);
    const before = await expiry();
    await writesOn(-60);
    expect(await expiry()).toBe(before);
  });
});

const openFieldsOf = (entity: Entity) =>
  indexesOf(entity, PLATFORM, '')
    .declared.filter(({ isOpen }) => isOpen?.())
    .map(({ field }) => field);

describe('the filters of this service', () => {
  it('take values of callers where neither the contract nor another record says which there are', () => {
    const open = kinds.flatMap(({ entity }) => openFieldsOf(entity).map((field) => `${entity.name} ${field}`));
    expect(open.toSorted()).toEqual([
      'CLIENT status',
      'RESOURCE health_status',
      'RESOURCE status',
      'RESOURCE tags',
      'SERVICE health_status',
      'SERVICE status',
      'SERVICE tags',
      'SERVICE_ACTION status',
      'TERMINAL status',
      'TICKET assigned_to',
      'TICKET tags',
      'WEBHOOK_EVENT event_type',
    ]);
  });

  it('take none that would not fit into a sort key of 1,024 bytes, nor raise the note above one write unit', () => {
    const takesLong = kinds.flatMap(({ entity }) =>
      openFieldsOf(entity)
        .filter((field) =>
          ['x'.repeat(900), ['x'.repeat(900)]].some((value) => entity.record?.fieldOf(field)?.safeParse(value).success),
        )
        .map((field) => [entity.name, field]),
    );
    expect(takesLong).toEqual([]);
  });
});
