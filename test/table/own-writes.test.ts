import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exactly } from '../../shared/contract/constraints.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { NotUnique, TableUnavailable } from '../../shared/table/errors.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import type { Repository } from '../../shared/table/repository/repository.ts';
import { auditOf, recordsIn } from '../support/audit.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import type { Fault } from '../support/faults.ts';
import { PausingHandler } from '../support/pauses.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/** A commit that was carried out although its reply never came is recognized, also by a DynamoDB that has forgotten its token. */

interface Job {
  id: string;
  state: string;
  code?: string;
  note?: string;
}

/** Its records are written after the claim of their code, in one transaction with the bit of their state. */
const jobs = entity<Job>('JOB', { filters: ['state'], unique: { code: exactly } });
/** Its records are written alone. */
const notes = entity<Job>('NOTE');

type Jobs = Repository<Job>;

let fresh: FreshTable;
let table: Table;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});

let org: string;
let writer: PausingHandler;
beforeEach(() => {
  org = randomUUID();
  writer = new PausingHandler();
});

const partition = (kind = jobs): string => `ORG#${org}#${kind.name}`;
const inJobs = <T>(operation: (records: Jobs) => Promise<T>, handler?: PausingHandler, kind = jobs): Promise<T> =>
  doIn(openTenant(handler === undefined ? table : tableAt(fresh, handler), org), (tenant) =>
    operation(tenant.records(kind)),
  );

const create = (fields: Partial<Job> = {}, handler?: PausingHandler, kind = jobs) =>
  inJobs((records) => records.create({ state: 'open', ...fields }), handler, kind);
const change = (id: string, fields: Partial<Job>, handler?: PausingHandler) =>
  inJobs(async (records) => records.update(await present(records, id), fields), handler);
const remove = (id: string, handler?: PausingHandler) =>
  inJobs(async (records) => records.remove(await present(records, id)), handler);

async function present(records: Jobs, id: string) {
  const stored = await records.get(id);
  if (stored === undefined) throw new Error('it is not there');
  return stored;
}

const page = () => inJobs((records) => records.page({ page: 1, page_size: 50, sort: 'created_at' }));
const stored = (kind = jobs) => recordsIn(table, partition(kind));
const audit = () => auditOf(table, partition(), { state: ['open', 'done'] });

/** Has the commit meet this fault, and holds up its next attempt while `meanwhile` runs. */
async function through<T>(fault: Fault, work: () => Promise<T>, meanwhile?: () => Promise<unknown>): Promise<T> {
  let paused: ReturnType<PausingHandler['pauseBefore']> | undefined;
  let met = false;
  writer.follow(({ operation }) => {
    if (met || !['PutItem', 'TransactWriteItems'].includes(operation)) return undefined;
    met = true;
    if (meanwhile !== undefined) paused = writer.pauseBefore(operation);
    return fault;
  });
  const working = work();
  if (meanwhile !== undefined) {
    await expect.poll(() => paused).toBeDefined();
    await Promise.race([paused?.reached, working]);
    await meanwhile();
    paused?.release();
  }
  return working;
}

const FAULTS = ['reply-lost', 'forgotten'] as const;

describe.each(FAULTS)('a commit whose reply is lost: %s', (fault) => {
  it('is a creation whose claim comes before its record, once', async () => {
    const { record } = await through(fault, () => create({ code: 'a' }, writer));
    expect((await stored()).map(({ id }) => id)).toEqual([record.id]);
    expect([(await page()).total, await audit()]).toEqual([1, { lost: [], faults: [] }]);
  });

  it('is a creation of a single item, once', async () => {
    const { record } = await through(fault, () => create({}, writer, notes));
    expect((await stored(notes)).map(({ id }) => id)).toEqual([record.id]);
  });

  it('is a change, once', async () => {
    const { record } = await create();
    const { version } = await through(fault, () => change(record.id, { state: 'done' }, writer));
    expect([version, (await stored())[0]?.VERSION, await audit()]).toEqual([2, 2, { lost: [], faults: [] }]);
  });

  it('is a deletion, whose claim another may take at once', async () => {
    const { record } = await create({ code: 'a' });
    const next = { id: '' };
    await through(
      fault,
      () => remove(record.id, writer),
      async () => {
        next.id = (await create({ code: 'a' })).record.id;
      },
    );
    expect((await page()).records.map(({ record: { id } }) => id)).toEqual([next.id]);
    await expect(create({ code: 'a' })).rejects.toThrow(NotUnique);
    expect(await audit()).toEqual({ lost: [], faults: [] });
  });

  it('is a creation that another has changed since', async () => {
    const { record } = await through(
      fault,
      () => create({}, writer),
      async () => change(String((await stored())[0]?.id), { note: 'changed' }),
    );
    expect((await stored()).map(({ id, note }) => [id, note])).toEqual([[record.id, 'changed']]);
  });

  it('is a creation whose claim is another record’s by now', async () => {
    const next = { id: '' };
    const { record } = await through(
      fault,
      () => create({ code: 'a' }, writer),
      async () => {
        await change(String((await stored())[0]?.id), { code: 'b' });
        next.id = (await create({ code: 'a' })).record.id;
      },
    );
    expect((await stored()).map(({ id, code }) => [id, code])).toEqual([
      [record.id, 'b'],
      [next.id, 'a'],
    ]);
    expect(await audit()).toEqual({ lost: [], faults: [] });
  });

  it('is a creation that another has deleted since, and stays deleted', async () => {
    await through(
      fault,
      () => create({ code: 'a' }, writer),
      async () => remove(String((await stored())[0]?.id)),
    );
    expect([await stored(), (await page()).total, await audit()]).toEqual([[], 0, { lost: [], faults: [] }]);
  });
});

describe('what nothing can tell', () => {
  it('is whether a change was carried out that another has overwritten: it is made on the record as it is then', async () => {
    const { record } = await create();
    await through(
      'forgotten',
      () => change(record.id, { state: 'done' }, writer),
      () => change(record.id, { note: 'changed' }),
    );
    expect((await stored()).map(({ state, note, VERSION }) => [state, note, VERSION])).toEqual([
      ['done', 'changed', 4],
    ]);
    expect(await audit()).toEqual({ lost: [], faults: [] });
  });
});

describe('an attempt that is carried out after a later one was refused', () => {
  it('leaves the outcome unknown, and one record', async () => {
    const { record: first } = await create({ code: 'a' });
    const late = new LateHandler();
    const creating = create({ code: 'a' }, late);
    await late.hasRefused;
    await remove(first.id);
    await late.arrive();
    await expect(creating).rejects.toThrow(TableUnavailable);
    expect([(await stored()).length, (await page()).total]).toEqual([1, 1]);
    expect(await audit()).toEqual({ lost: [], faults: [] });
  });
});

/** Loses the first transaction on its way, and delivers it when it is told to; the second one is refused meanwhile, the third waits. */
class LateHandler extends PausingHandler {
  #held: (() => ReturnType<PausingHandler['handle']>) | undefined;
  #transactions = 0;
  readonly #refused = Promise.withResolvers<void>();
  readonly #arrived = Promise.withResolvers<void>();
  readonly hasRefused = this.#refused.promise;

  async arrive(): Promise<void> {
    await this.#held?.();
    this.#arrived.resolve();
  }

  override async handle(...call: Parameters<PausingHandler['handle']>): ReturnType<PausingHandler['handle']> {
    if (!String(call[0].headers['x-amz-target']).endsWith('TransactWriteItems')) return super.handle(...call);
    switch (this.#transactions++) {
      case 0:
        this.#held = () => super.handle(...call);
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      case 2:
        this.#refused.resolve();
        await this.#arrived.promise;
    }
    return super.handle(...call);
  }
}
