import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entity, JournalReader, journalEntity, order, type Stored } from '#table';
import { recordsIn } from '../support/audit.ts';
import { byExtent } from '../support/extent.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { itemSizeOf } from '../support/item-size.ts';
import { PausingHandler } from '../support/pauses.ts';
import { type How, newOrganization, TestList, useTable } from './test-list.ts';

/** What the history of a record says, of whatever has happened to it and to the servers that did it. */

interface Job {
  readonly id: string;
  readonly mark: number;
  readonly state: string | null;
  readonly title: string;
  readonly done: boolean;
  readonly labels: readonly string[];
  readonly extra: object | null;
  readonly secret: string | null;
  readonly updated_at: string;
}

/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
const DAY = 86_400_000;

const table = useTable(NOW);
const kind = entity<Job>('JOB', { json: ['extra'], encrypted: ['secret'], journaled: { history: true } });
const NEW = {
  ...{ mark: 0, state: 'open', title: 'Till', done: false },
  ...{ labels: [], extra: null, secret: null, updated_at: '' },
};
const jobs = new TestList<Job>(table, kind, NEW);

/** A value that is found by its bytes, wherever it is. */
const sentinel = fc.integer({ min: 1, max: 9_999 }).map((number) => `sentinel-${number}`);
const text = fc.oneof(sentinel, fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom('', 'é'.repeat(100)));
const fields = fc.record(
  {
    state: fc.option(sentinel),
    title: fc.oneof(text, fc.constantFrom('x'.repeat(101), '\u0001'.repeat(100), '🙂'.repeat(50))),
    done: fc.boolean(),
    labels: fc.array(sentinel, { maxLength: 2 }),
    extra: fc.constantFrom(null, { deep: ['sentinel-json'] }),
    secret: fc.option(fc.constant('sentinel-secret')),
  },
  { requiredKeys: [] },
);
const FAULTS = ['reply-lost', 'forgotten', 'applied-server-error', 'conflict', 'dropped', 'timeout'] as const;
const change = fc.record({ fields, fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 2 }) });
/** Changes that several servers make at the same time. */
const step = fc.array(change, { minLength: 1, maxLength: 3 });
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

/** The first commit of a server meets a fault. */
function serverWith(fault: Fault | undefined): How {
  const handler = new FaultyHandler();
  let isMet = false;
  handler.follow(({ operation }) => {
    if (operation !== 'TransactWriteItems' || isMet) return undefined;
    isMet = true;
    return fault;
  });
  return { over: handler };
}

interface Logged {
  readonly version: number;
  readonly before: Job;
  readonly after: Job;
}

/** A log of the changes of one record, which each writes down with its last attempt. */
class Log {
  readonly changes: Logged[] = [];
  readonly #id: string;
  #marks = 0;

  constructor(id: string) {
    this.#id = id;
  }

  async make({ fields: given, fault }: Change): Promise<void> {
    this.#marks += 1;
    const changed = { ...given, mark: this.#marks, updated_at: new Date(NOW + this.#marks).toISOString() };
    let last: Logged | undefined;
    await jobs.do(async (records) => {
      const stored = await records.get(this.#id);
      if (stored === undefined) throw new Error('it is not there');
      const { record: before, version } = stored;
      last = { version: version + 1, before, after: { ...before, ...changed } };
      await records.update(stored, changed);
    }, serverWith(fault));
    if (last !== undefined) this.changes.push(last);
  }
}

const isKept = (value: unknown): boolean =>
  value === null || ['number', 'boolean'].includes(typeof value) || (typeof value === 'string' && value.length <= 100);

/** What the history is to say of a change, where its values are few. */
function expectedOf({ before, after }: Logged): Record<string, object> {
  const names = ['done', 'extra', 'labels', 'mark', 'secret', 'state', 'title'] as const;
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(
    changed.map((name) => {
      const [from, to] = [before[name], after[name]];
      const isShown = name !== 'extra' && name !== 'secret' && isKept(from) && isKept(to);
      return [name, isShown ? { from, to } : { changed: true }];
    }),
  );
}

const historyOf = async (id: string, how: How = {}) => {
  const stored = await jobs.records(how).get(id);
  if (stored === undefined) throw new Error('it is not there');
  return table.open(how).historyOf(stored);
};

const journal = () => recordsIn(table.table, `ORG#${table.org}#${journalEntity.name}`);

it('a history says what a log of the changes says, and the feed none of the values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      newOrganization(table);
      const [id, other] = [await jobs.createId(), await jobs.createId()];
      const log = new Log(id);
      for (const changes of steps) {
        await Promise.all(changes.map((each) => log.make(each)));
        await jobs.change(other, { title: `other ${log.changes.length}` });
      }
      const [created, ...updated] = (await historyOf(id)).toReversed();
      expect(created).toMatchObject({ type: 'job.created', record_id: id, version: 1, changes: null });
      const logged = log.changes.toSorted((one, another) => one.version - another.version);
      expect(updated.map(({ version }) => version)).toEqual(logged.map(({ version }) => version));
      for (const [index, change] of logged.entries()) {
        const [shown, expected] = [updated[index]?.changes ?? {}, expectedOf(change)];
        expect(Object.keys(shown)).toEqual(Object.keys(expected));
        // The longest values are left out where all together are too long.
        for (const [name, value] of Object.entries(shown))
          if ('from' in value || JSON.stringify(expected).length < 200)
            expect({ [name]: value }).toEqual({ [name]: expected[name] });
      }
      const by = { actor_id: id, request_id: id };
      for (const item of await journal()) expect(itemSizeOf({ ...item, ...by })).toBeLessThanOrEqual(1_024);
      const { events } = await new JournalReader(table.open()).read({ from: 'oldest', limit: 200 });
      expect(events.length).toBeGreaterThan(log.changes.length);
      expect(JSON.stringify(events)).not.toMatch(/sentinel|CHANGES/);
    }),
    { numRuns: byExtent({ sample: 6, extended: 25, nightly: 300 }) },
  );
});

describe('a history', () => {
  it('has the last fifty changes, however far apart their events are', async () => {
    const id = await jobs.createId();
    const events = new TestList(table, journalEntity);
    const apart = [1, 127, 128, 16_383, 16_384, 2 ** 21, 2 ** 33, 2 ** 45];
    for (let mark = 1; mark <= 54; mark++) {
      await events.skip(apart[mark % apart.length] ?? 1);
      await jobs.change(id, { mark });
    }
    const history = await historyOf(id);
    expect(history.map(({ changes }) => changes)).toEqual(
      Array.from({ length: 50 }, (_, index) => ({ mark: { from: 53 - index, to: 54 - index } })),
    );
    const [{ EVENTS } = {}] = (await jobs.stored()) as { readonly EVENTS?: Uint8Array }[];
    expect(EVENTS?.length).toBeLessThan(350);
  });

  it('leaves out what has expired', async () => {
    const id = await jobs.createId();
    await jobs.change(id, { mark: 1 }, { at: NOW + 20 * DAY });
    const versionsAt = async (days: number) =>
      (await historyOf(id, { at: NOW + days * DAY })).map(({ version }) => version);
    expect([await versionsAt(29), await versionsAt(32), await versionsAt(52)]).toEqual([[2, 1], [2], []]);
  });

  it('has none of the events of others, whatever numbers a record names', async () => {
    const [id, other] = [await jobs.createId(), await jobs.createId()];
    await jobs.change(other, { mark: 1 });
    const [mine, theirs] = await Promise.all([jobs.records().get(id), jobs.records().get(other)]);
    const forged = { item: { ...mine?.item, EVENTS: theirs?.item.EVENTS } };
    expect(await table.open().historyOf(forged)).toEqual([]);
  });

  it('has the event of a change that is visible in the record first', async () => {
    const id = await jobs.createId();
    await jobs.change(id, { mark: 1 });
    const [event] = (await journal()).filter(({ version }) => version === 2);
    const { PK, SK, ...attributes } = { PK: '', SK: '', ...event };
    const { client, name: TableName } = table.table;
    await client.send(new DeleteCommand({ TableName, Key: { PK, SK } }));
    const over = new PausingHandler();
    const again = over.pauseBefore('TransactGetItems');
    const reading = historyOf(id, { over });
    await again.reached;
    await client.send(new PutCommand({ TableName, Item: { PK, SK, ...attributes } }));
    again.release();
    expect((await reading).map(({ version }) => version)).toEqual([2, 1]);
  });

  it('has a change during which the record moved in its list', async () => {
    const kept = entity<Job>('MOVED', { indexes: [order('updated_at')], journaled: { history: true } });
    const moved = new TestList<Job>(table, kept, { ...NEW, updated_at: new Date(NOW).toISOString() });
    const id = await moved.createId();
    const over = new PausingHandler();
    const commit = over.pauseBefore('TransactWriteItems');
    type Records = ReturnType<typeof moved.records>;
    const withIt = (does: (records: Records, stored: Stored<Job>) => unknown, how: How) =>
      moved.do(async (records) => {
        const stored = await records.get(id);
        if (stored !== undefined) await does(records, stored);
      }, how);
    const change = (records: Records, it: Stored<Job>) => records.update(it, { mark: 1 }, { moves: 'updated_at' });
    const changing = withIt(change, { at: NOW + 500, over });
    await commit.reached;
    const move = (records: Records, it: Stored<Job>) => records.derived.move(it, 'updated_at', () => new Error());
    // This clock stands still: its time is compared.
    await withIt(move, { at: () => NOW + 1_000 });
    commit.release();
    await changing;
    const stored = await moved.records().get(id);
    const history = await table.open().historyOf({ item: stored?.item ?? {} });
    expect(stored?.record).toMatchObject({ mark: 1, updated_at: new Date(NOW + 1_000).toISOString() });
    expect(history.map(({ version }) => version)).toEqual([2, 1]);
  });

  it('has the names of all fields, where the values of a change are too long', async () => {
    const long = (letter: string) => letter.repeat(100);
    const id = await jobs.createId({ title: long('a'), state: long('a') });
    await jobs.change(id, { title: long('b'), state: long('b'), done: true });
    await jobs.change(id, { title: long('\u0001'), state: long('c'), done: false });
    expect((await historyOf(id)).map(({ changes }) => changes)).toEqual([
      { done: { from: true, to: false }, state: { from: long('b'), to: long('c') }, title: { changed: true } },
      {
        ...{ done: { from: false, to: true }, state: { from: long('a'), to: long('b') } },
        title: { from: long('a'), to: long('b') },
      },
      null,
    ]);
  });
});
