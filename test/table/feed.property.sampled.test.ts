import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { ids, listErrors } from '@custodia/counted-lists';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entity, JournalReader, journalEntity, type Repository, type Tenant } from '#table';
import type { Clock } from '../../shared/clock.ts';
import { recordsIn } from '../support/audit.ts';
import { Conflicts, SleepingHandler } from '../support/conflicts.ts';
import { byExtent } from '../support/extent.ts';
import type { Fault } from '../support/faults.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';
import { newOrganization, TestList, useTable } from './test-list.ts';

/**
 * Followers of a journal, whose writers conflict, meet faults, die, and sleep as long as they like: each follower meets
 * every event once and in order, and the events of a record are its versions in order. Then, around the end of the
 * retention, with clocks that are months wrong: no follower misses an event without being told. Its counts are exact.
 */

interface Job {
  readonly id: string;
  readonly state: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The real time, by which DynamoDB Local deletes what has expired. */
const START = Date.now();

const table = useTable();
const kind = entity<Job>('JOB', { journaled: {} });
const jobs = new TestList(table, kind);
const journal = () => recordsIn(table.table, `ORG#${table.org}#${journalEntity.name}`);

class Follower {
  readonly #tenantAt: (clock: Clock) => Tenant;
  #from: number | 'oldest' = 'oldest';
  readonly met: string[] = [];

  constructor(tenantAt: (clock: Clock) => Tenant = (clock) => openTenant(table.table, table.org, clock)) {
    this.#tenantAt = tenantAt;
  }

  /** @returns how the page ended */
  async read(limit: number, clock: Clock): Promise<string> {
    const { events, next, ended } = await new JournalReader(this.#tenantAt(clock)).read({ from: this.#from, limit });
    this.met.push(...events.map(({ id }) => id));
    this.#from = next;
    return ended;
  }

  async readAll(clock: Clock): Promise<void> {
    for (let ended = ''; ended !== 'end'; ) ended = await this.read(7, clock);
  }
}

const step = fc.record({
  does: fc.constantFrom('create', 'update', 'update', 'update', 'update', 'delete'),
  which: fc.nat(2),
  error: fc.constantFrom(0, 0, -10 * MINUTE, 10 * MINUTE),
});
const FAULTS: readonly Fault[] = [
  ...(['crash', 'crash-after', 'reply-lost', 'dropped', 'timeout', 'forgotten'] as const),
  ...(['applied-server-error', 'conflict', 'throttled'] as const),
];
const act = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  fault: fc.option(fc.record({ kind: fc.constantFrom(...FAULTS), at: fc.nat(9) }), { nil: undefined, freq: 2 }),
  /** After so many acts it wakes up. */
  sleeps: fc.option(fc.nat(3), { nil: undefined }),
  reads: fc.array(fc.record({ limit: fc.integer({ min: 1, max: 4 }), error: fc.constantFrom(0, -DAY, DAY) }), {
    maxLength: 3,
  }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

async function run(records: Repository<Job>, { does, which }: Step, known: readonly string[]): Promise<string[]> {
  if (does === 'create' || known.length === 0) return [(await records.create({ fields: { state: 0 } })).record.id];
  const found = await records.get(known[which % known.length] ?? '');
  if (found === undefined) return [];
  if (does === 'delete') await records.remove(found);
  else await records.update(found, { state: found.record.state + 1 });
  return [];
}

/** Changes that one process makes at once. @returns the ids of what it has created; those that failed are left out */
async function make(
  { steps }: Act,
  process: SleepingHandler,
  now: number,
  known: readonly string[],
): Promise<string[]> {
  const changes = steps.map((what) => {
    const tenant = openTenant(table.over(process), table.org, () => now + what.error);
    return doIn(tenant, () => run(tenant.records(kind), what, known));
  });
  const outcomes = await Promise.allSettled(changes);
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
}

/** @returns what a follower has met meanwhile, who reads between the acts */
async function play(acts: readonly Act[]): Promise<Follower> {
  newOrganization(table);
  const conflicts = new Conflicts({ milliseconds: 2 });
  const follower = new Follower();
  const known: string[] = [];
  const asleep: { readonly until: number; readonly wakeUp: () => Promise<unknown> }[] = [];
  for (const [index, act] of acts.entries()) {
    const now = START + index * MINUTE;
    const process = new SleepingHandler(conflicts);
    process.follow(({ index: call }) => (call === act.fault?.at ? act.fault.kind : undefined));
    const wake = act.sleeps === undefined ? undefined : process.sleep();
    const done = make(act, process, now, [...known]).then((created) => known.push(...created));
    const wakeUp = () => {
      wake?.();
      return done;
    };
    asleep.push({ until: index + (act.sleeps ?? 0), wakeUp });
    for (const sleeper of asleep) if (sleeper.until <= index) await sleeper.wakeUp();
    for (const { limit, error } of act.reads) await follower.read(limit, () => now + error);
  }
  for (const { wakeUp } of asleep) await wakeUp();
  return follower;
}

it('a follower meets each event once, in the order of versions, whatever its writers do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
      const followers = [await play(acts), new Follower()];
      for (const follower of followers) {
        await follower.readAll(() => START + DAY);
        await check(follower.met);
      }
    }),
    { numRuns: byExtent({ sample: 4, extended: 10, nightly: 200 }) },
  );
});

async function check(met: readonly string[]): Promise<void> {
  const events = await journal();
  expect(met).toEqual(events.map(({ id }) => id));
  const stored = new Map((await jobs.stored()).map((job) => [job.id, job as Job & { readonly VERSION?: number }]));
  for (const [id, own] of Map.groupBy(events, ({ record_id }) => String(record_id))) {
    expect(own.map(({ version }) => version)).toEqual(own.map((_, index) => index + 1));
    expect(own.filter(({ type }) => type === 'job.deleted')).toHaveLength(stored.has(id) ? 0 : 1);
    stored.delete(id);
  }
  expect([...stored.keys()]).toEqual([]);
  const numbers = [0, ...events.map(({ id }) => ids.numberOf(String(id)))];
  const reader = new JournalReader(openTenant(table.table, table.org, () => START + DAY));
  const { counts } = await reader.countFrom(Promise.resolve(numbers));
  const from = (start: number) => numbers.slice(1).filter((number) => number >= start).length;
  expect(numbers.map((number) => counts.get(number))).toEqual(numbers.map(from));
}

/** A reader's table as the SDK has it once it knows how wrong this machine's clock is: it corrects the time of its signatures by that. */
function tableOfWrongClock(error: number) {
  const found = tableAt(table.place);
  Object.defineProperty(found.client.config, 'systemClockOffset', { get: () => -error, set: () => undefined });
  return found;
}

/** What DynamoDB's TTL does: deletes some of the expired items, in its own time. */
async function expire(now: number, share: number): Promise<void> {
  const expired = (await journal()).filter(({ TTL }) => Number(TTL) * 1_000 <= now);
  for (const { PK, SK } of expired.slice(0, Math.ceil(expired.length * share)))
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key: { PK, SK } }));
}

const WRONG = fc.constantFrom(0, 0, 0, -60 * DAY, 60 * DAY, 29 * DAY);
const does = <const N extends string, T extends object>(name: N, fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<{ does: N } & T>({ does: fc.constant(name), ...fields } as never);
const days = fc.oneof(
  { weight: 4, arbitrary: does('write', { error: WRONG }) },
  { weight: 3, arbitrary: does('read', { error: WRONG, who: fc.nat(1), limit: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: does('wait', { hours: fc.constantFrom(1, 20, 24, 15 * 24, 29 * 24, 31 * 24) }) },
  { weight: 2, arbitrary: does('expire', { share: fc.double({ min: 0, max: 1, noNaN: true }) }) },
  { weight: 1, arbitrary: does('lose', {}) },
);

it('a follower misses no event without being told, around the end of the retention, with clocks that are wrong', async () => {
  await fc.assert(
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each act, beside its model
    fc.asyncProperty(fc.array(days, { minLength: 5, maxLength: 30 }), async (acts) => {
      newOrganization(table);
      let now = START;
      const written: { readonly id: string; readonly number: number }[] = [];
      const from = [0, 0];
      for (const what of acts) {
        if (what.does === 'wait') now += what.hours * HOUR;
        else if (what.does === 'expire') await expire(now, what.share);
        else if (what.does === 'lose') await jobs.lose(1, { at: now });
        else if (what.does === 'write') {
          await jobs.create({}, { at: now + what.error });
          const known = new Set(written.map(({ id }) => id));
          for (const { id } of await journal())
            if (!known.has(String(id))) written.push({ id: String(id), number: ids.numberOf(String(id)) });
        } else {
          const { who, error, limit } = what;
          const feed = new JournalReader(openTenant(tableOfWrongClock(error), table.org, () => now + error));
          const start = from[who] ?? 0;
          const page = await feed.read({ from: start, limit }).catch((reason: unknown) => {
            if (!(reason instanceof listErrors.FeedExpired)) throw reason;
            return feed.read({ from: 'oldest', limit: 1 }).then(({ next }) => ({ events: undefined, next }));
          });
          from[who] = page.next;
          const { counts } = await feed.countFrom(Promise.resolve([start, page.next]));
          expect(counts.has(start)).toBe(page.events !== undefined);
          expect(counts.get(page.next)).toBeGreaterThanOrEqual(
            written.filter(({ number }) => number >= page.next).length,
          );
          if (page.events === undefined) continue;
          const passed = written.filter(({ number }) => number >= start && number < page.next);
          expect(page.events.map(({ id }) => id)).toEqual(passed.map(({ id }) => id));
        }
      }
    }),
    { numRuns: byExtent({ sample: 20, extended: 60, nightly: 1_000 }) },
  );
});
