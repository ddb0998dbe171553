import { listErrors } from '@custodia/counted-lists';
import { beforeEach, describe, expect, it } from 'vitest';
import { entity, NotUnique, set } from '#table';
import { trimmed } from '../../shared/words.ts';
import type { Fault } from '../support/faults.ts';
import { PausingHandler } from '../support/pauses.ts';
import { NO_FAULTS, TestList, useTable } from './test-list.ts';

/** A commit that was carried out although its reply never came is recognized, also by a DynamoDB that has forgotten its token. */

interface Job {
  id: string;
  state: string;
  code?: string;
  note?: string;
  VERSION?: number;
}

const table = useTable();
/** Its records are written after the claim of their code, in one transaction with the bit of their state. */
const jobs = new TestList(
  table,
  entity<Job>('JOB', { indexes: [set('state')], unique: { code: trimmed } }),
  { state: 'open' },
  { state: ['open', 'done'] },
);
/** Its records are written alone. */
const notes = new TestList(table, entity<Job>('NOTE'), { state: 'open' });

let writer: PausingHandler;
let over: { over: PausingHandler };
beforeEach(() => {
  writer = new PausingHandler();
  over = { over: writer };
});

const firstId = async () => String((await jobs.stored())[0]?.id);

/** Makes the commit meet this fault, and delays its next attempt while `meanwhile` runs. */
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

describe.each(['reply-lost', 'forgotten'] as const)('a commit whose reply is lost: %s', (fault) => {
  it('is a creation whose claim comes before its record, once', async () => {
    const id = await through(fault, () => jobs.createId({ code: 'a' }, over));
    expect([await jobs.read(), await jobs.audit()]).toEqual([{ total: 1, ids: [id] }, NO_FAULTS]);
  });

  it('is a creation of a single item, once', async () => {
    const id = await through(fault, () => notes.createId({}, over));
    expect((await notes.stored()).map((note) => note.id)).toEqual([id]);
  });

  it('is a change, once', async () => {
    const id = await jobs.createId();
    const { version } = await through(fault, () => jobs.change(id, { state: 'done' }, over));
    expect([version, (await jobs.stored())[0]?.VERSION, await jobs.audit()]).toEqual([2, 2, NO_FAULTS]);
  });

  it('is a deletion, whose claim another may take at once', async () => {
    const id = await jobs.createId({ code: 'a' });
    let next = '';
    await through(
      fault,
      () => jobs.remove(id, over),
      async () => {
        next = await jobs.createId({ code: 'a' });
      },
    );
    expect((await jobs.read()).ids).toEqual([next]);
    await expect(jobs.create({ code: 'a' })).rejects.toThrow(NotUnique);
    expect(await jobs.audit()).toEqual(NO_FAULTS);
  });

  it('is a creation that another has changed since, and whose claim is another record’s by now', async () => {
    let next = '';
    const id = await through(
      fault,
      () => jobs.createId({ code: 'a' }, over),
      async () => {
        await jobs.change(await firstId(), { code: 'b', note: 'changed' });
        next = await jobs.createId({ code: 'a' });
      },
    );
    expect(await jobs.stored()).toMatchObject([
      { id, code: 'b', note: 'changed' },
      { id: next, code: 'a' },
    ]);
    for (const code of ['a', 'b']) await expect(jobs.create({ code })).rejects.toThrow(NotUnique);
    expect(await jobs.audit()).toEqual(NO_FAULTS);
  });

  it('is a creation that another has deleted since, and stays deleted', async () => {
    await through(
      fault,
      () => jobs.create({ code: 'a' }, over),
      async () => jobs.remove(await firstId()),
    );
    expect([await jobs.stored(), (await jobs.read()).total, await jobs.audit()]).toEqual([[], 0, NO_FAULTS]);
  });
});

it('a change that another may have overwritten is made on the record as it is then', async () => {
  const id = await jobs.createId();
  await through(
    'forgotten',
    () => jobs.change(id, { state: 'done' }, over),
    () => jobs.change(id, { note: 'changed' }),
  );
  expect(await jobs.stored()).toMatchObject([{ state: 'done', note: 'changed', VERSION: 4 }]);
  expect(await jobs.audit()).toEqual(NO_FAULTS);
});

it('an attempt that is carried out after a later one was refused leaves the outcome unknown, and one record', async () => {
  const first = await jobs.createId({ code: 'a' });
  const late = new OvertakenHandler();
  const creating = jobs.create({ code: 'a' }, { over: late });
  await late.hasRefused;
  await jobs.remove(first);
  await late.arrive();
  await expect(creating).rejects.toThrow(listErrors.TableUnavailable);
  expect([(await jobs.stored()).length, (await jobs.read()).total, await jobs.audit()]).toEqual([1, 1, NO_FAULTS]);
});

/**
 * Loses the first transaction, and delivers it when the test says so; meanwhile the second one is refused, and the
 * third waits.
 */
class OvertakenHandler extends PausingHandler {
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
