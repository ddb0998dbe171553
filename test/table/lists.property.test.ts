import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/dynamodb/client.ts';
import { callerOf } from '../../shared/auth/caller.ts';
import { type Table, tableOf } from '../../shared/table/client.ts';
import type { Collection } from '../../shared/table/collection.ts';
import { entity } from '../../shared/table/entity.ts';
import { StaleRead } from '../../shared/table/errors.ts';
import { IN_FLIGHT_MS } from '../../shared/table/lists/mend.ts';
import type { Stored } from '../../shared/table/records.ts';
import { Session } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { clockAt } from '../support/clock.ts';
import { freshTable } from '../support/dynamodb.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';

/**
 * Counted lists against a plain array. Random creates, moves and deletes, one after another and many at once, with the process
 * dying or the network failing at any call; then time passes, every page is read, and every list must be exactly what is stored.
 */

interface Job {
  id: string;
  state: string;
  owner: string;
}

const STATES = ['open', 'done', 'held'];
const OWNERS = ['ana', 'rui'];
const jobs = entity<Job>('JOB', { filters: [['state'], ['owner'], ['owner', 'state']] });

type Step =
  | { readonly does: 'create'; readonly state: string; readonly owner: string }
  | { readonly does: 'move'; readonly which: number; readonly state: string; readonly owner: string }
  | { readonly does: 'delete'; readonly which: number };

interface Act {
  /** Done at the same time. */
  readonly steps: readonly Step[];
  readonly fault: { readonly kind: Fault; readonly at: number } | undefined;
}

const state = fc.constantFrom(...STATES);
const owner = fc.constantFrom(...OWNERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('create' as const), state, owner }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('move' as const), which: fc.nat(), state, owner }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), which: fc.nat() }) },
);
const fault = fc.record({
  kind: fc.constantFrom<Fault>(
    'crash',
    'crash-after',
    'reply-lost',
    'dropped',
    'applied-server-error',
    'conflict',
    'throttled',
  ),
  at: fc.nat(8),
});
const act: fc.Arbitrary<Act> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  fault: fc.option(fault, { nil: undefined, freq: 2 }),
});

/** One process of the service: its own connection with its own faults. */
class Worker {
  readonly handler = new FaultyHandler();
  readonly #table: Table;
  readonly #org: string;

  constructor(name: string, endpoint: string, org: string) {
    this.#org = org;
    this.#table = tableOf(name, {
      endpoint,
      region: LOCAL_REGION,
      credentials: LOCAL_CREDENTIALS,
      requestHandler: this.handler,
    });
  }

  open(now: number): { session: Session; records: Collection<Job> } {
    const context = {
      integration_id: 'i',
      app_code: 'a',
      org_id: this.#org,
      expires_at: '9999999999',
      permissions: '*',
    };
    const caller = callerOf(context);
    if (caller === undefined) throw new Error('no caller');
    const session = new Session(this.#table, clockAt(now), now + 5_000);
    return { session, records: Tenant.of(caller, session).records(jobs) };
  }

  /** What is really stored, read past all counting. */
  async stored(): Promise<Job[]> {
    const { Items = [] } = await this.#table.client.send(
      new QueryCommand({
        TableName: this.#table.name,
        KeyConditionExpression: 'PK = :jobs',
        ExpressionAttributeValues: { ':jobs': `ORG#${this.#org}#JOB` },
        ConsistentRead: true,
      }),
    );
    return Items.map(({ id, state, owner }) => ({ id, state, owner }));
  }
}

/** Runs a step as the pipeline would: again when the record changed, numbers given back when it fails. */
async function run(
  worker: Worker,
  now: number,
  what: Step,
  known: readonly string[],
): Promise<{ created?: string; deleted?: string }> {
  const { session, records } = worker.open(now);
  for (let tries = 0; ; tries++) {
    try {
      const outcome = await stage(records, what, known);
      await session.commit();
      return outcome;
    } catch (error) {
      if (!(error instanceof StaleRead) || tries > 20) {
        await session.abandon(error);
        throw error;
      }
      session.restart();
    }
  }
}

async function stage(
  records: Collection<Job>,
  what: Step,
  known: readonly string[],
): Promise<{ created?: string; deleted?: string }> {
  if (what.does === 'create')
    return { created: (await records.create({ state: what.state, owner: what.owner })).record.id };
  const id = known[what.which % Math.max(known.length, 1)];
  const found: Stored<Job> | undefined = id === undefined ? undefined : await records.get(id);
  if (found === undefined) return {};
  if (what.does === 'move') {
    await records.update(found, { state: what.state, owner: what.owner });
    return {};
  }
  records.remove(found);
  return { deleted: found.record.id };
}

/** Every page of every list, walked in both orders, against what is stored. */
async function check(worker: Worker, now: number): Promise<void> {
  const stored = await worker.stored();
  const filters = [
    {},
    ...STATES.map((value) => ({ state: value })),
    ...OWNERS.map((value) => ({ owner: value })),
    ...STATES.flatMap((one) => OWNERS.map((other) => ({ state: one, owner: other }))),
  ];
  for (const filter of filters) {
    const expected = stored
      .filter((job) => Object.entries(filter).every(([field, value]) => job[field as keyof Job] === value))
      .map(({ id }) => id);
    const oldest = await walk(worker, now, filter, 'created_at');
    const newest = await walk(worker, now, filter, '-created_at');
    expect(oldest.ids.toSorted(), `members of ${JSON.stringify(filter)}`).toEqual(expected.toSorted());
    expect(newest.ids, `order of ${JSON.stringify(filter)}`).toEqual(oldest.ids.toReversed());
    if (Object.keys(filter).length === 0) expect(oldest.ids).toEqual(expected);
    expect(new Set([...newest.totals, expected.length]), `totals of ${JSON.stringify(filter)}`).toEqual(
      new Set([expected.length]),
    );
  }
}

const PAGE_SIZE = 3;

async function walk(worker: Worker, now: number, filter: Record<string, string>, sort: 'created_at' | '-created_at') {
  const ids: string[] = [];
  const totals: number[] = [];
  for (let page = 1; ; page++) {
    const { records } = worker.open(now);
    const { records: found, total } = await records.page({ page, page_size: PAGE_SIZE, sort, filter });
    totals.push(total);
    ids.push(...found.map(({ record }) => record.id));
    if (found.length < PAGE_SIZE) return { ids, totals };
  }
}

let endpoint: string;
let tableName: string;
beforeAll(async () => {
  ({ endpoint, tableName } = await freshTable());
});

/** What was played: whom it was played on, and what was acknowledged. */
interface Played {
  readonly sound: Worker;
  readonly created: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  readonly now: number;
}

async function play(acts: readonly Act[]): Promise<Played> {
  const org = randomUUID();
  const created = new Set<string>();
  const deleted = new Set<string>();
  let now = Date.now();
  for (const { steps, fault } of acts) {
    const worker = new Worker(tableName, endpoint, org);
    worker.handler.follow(({ index }) => (index === fault?.at ? fault.kind : undefined));
    const known = [...created];
    const outcomes = await Promise.allSettled(steps.map((what) => run(worker, now, what, known)));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        if (fault === undefined) throw outcome.reason;
        continue;
      }
      if (outcome.value.created !== undefined) created.add(outcome.value.created);
      if (outcome.value.deleted !== undefined) deleted.add(outcome.value.deleted);
    }
    now += 1_000;
  }
  return { sound: new Worker(tableName, endpoint, org), created, deleted, now };
}

const runs = { numRuns: Number(process.env.LIST_RUNS ?? 25) };

describe('counted lists', () => {
  it('are exactly what is stored, whatever happened on the way, once time has passed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
        const { sound, created, deleted, now } = await play(acts);
        const stored = new Set((await sound.stored()).map(({ id }) => id));
        for (const id of created) {
          if (!deleted.has(id) && !stored.has(id)) expect(mayHaveDeletedUnseen(acts), `${id} was created`).toBe(true);
        }
        for (const id of deleted) expect(stored.has(id), `${id} was deleted`).toBe(false);
        const later = now + 2 * IN_FLIGHT_MS;
        await mend(sound, later);
        await check(sound, later);
      }),
      runs,
    );
  }, 300_000);

  it('are exactly what is stored at once, without any mending, where nothing failed', async () => {
    const peaceful = act.map(({ steps }): Act => ({ steps, fault: undefined }));
    await fc.assert(
      fc.asyncProperty(fc.array(peaceful, { minLength: 1, maxLength: 8 }), async (acts) => {
        const { sound, now } = await play(acts);
        await check(sound, now);
      }),
      runs,
    );
  }, 300_000);
});

/** A delete may have been carried out by a process that then died: only then may an acknowledged record be gone. */
const mayHaveDeletedUnseen = (acts: readonly Act[]): boolean =>
  acts.some(({ steps, fault }) => fault !== undefined && steps.some(({ does }) => does === 'delete'));

/** The reads that mend: one walk over every list. */
async function mend(worker: Worker, now: number): Promise<void> {
  for (const state of [undefined, ...STATES]) {
    for (const owner of [undefined, ...OWNERS]) {
      const filter = { ...(state === undefined ? {} : { state }), ...(owner === undefined ? {} : { owner }) };
      const { total } = await worker.open(now).records.page({ page: 1, page_size: 1, sort: 'created_at', filter });
      for (let page = 1; page <= Math.ceil(total / PAGE_SIZE); page++) {
        await worker.open(now).records.page({ page, page_size: PAGE_SIZE, sort: 'created_at', filter });
      }
    }
  }
}
