import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Problem } from '#contract';
import { runToCommit } from '#http';
import { Tenant } from '#table';
import { serviceActionOperations } from '../../functions/service-actions/operations.ts';
import { claimAction, inSeconds, placeAt } from '../../functions/service-actions/queue.ts';
import { type StoredServiceAction, serviceActionEntity } from '../../functions/service-actions/store.ts';
import { DeliveryWorld } from '../support/delivery-world.ts';
import { freshTable } from '../support/dynamodb.ts';
import { prepared } from '../support/prepared.ts';

/** Which runner has an action, also where runners are paused, and the clocks of functions differ. */

const place = prepared(freshTable);
const SECONDS = 60;

interface Held {
  readonly id: string;
  readonly lease: string;
}

/** An organization, with a clock of its own that tests move. */
function organization() {
  const world = new DeliveryWorld(place);
  const id = randomUUID();
  /** @param skew how wrong the clock is of the function that serves a request, in milliseconds */
  const open = (skew = 0) =>
    Tenant.ofOperator(
      id,
      world.session(() => world.now + skew),
    );
  const inOne = <V>(tenant: Tenant, work: (tenant: Tenant) => Promise<V>) =>
    runToCommit(tenant.session, () => work(tenant));
  type Asking = (input: never) => Promise<{ readonly body: unknown }>;
  const about = async (
    verb: 'extendServiceAction' | 'finishServiceAction',
    { id: action, lease }: Held,
    body: object,
  ) => {
    const tenant = open();
    const input = {
      ...{ params: { id: action }, body: { lease, lease_seconds: SECONDS, ...body }, tenant, session: tenant.session },
      getOrThrow: (records: { get: (id: string) => Promise<unknown> }, of: string) => records.get(of),
    };
    try {
      return (await inOne(tenant, () => (serviceActionOperations[verb] as Asking)(input as never))).body;
    } catch (error) {
      if (error instanceof Problem && error.status === 409) return undefined;
      throw error;
    }
  };
  return {
    pass: (seconds: number) => {
      world.now += seconds * 1_000;
    },
    ask: async (scheduled: number | undefined = undefined): Promise<string> => {
      const tenant = open();
      const queued = placeAt('restart', inSeconds(tenant, scheduled ?? 0));
      const fields = { service_id: randomUUID(), action_type: 'restart', status: 'pending', attempts: 0, queued };
      const asked = { ...fields, run: true, created_at: tenant.session.timestamp } as unknown as StoredServiceAction;
      return (await inOne(tenant, (of) => of.records(serviceActionEntity).create({ fields: asked }))).record.id;
    },
    claim: async (skew?: number): Promise<Held | undefined> => {
      const claimed = await inOne(open(skew), (of) => claimAction(of, { types: ['restart'], lease_seconds: SECONDS }));
      return claimed && { id: claimed.action.id, lease: claimed.lease };
    },
    heartbeat: (held: Held) => about('extendServiceAction', held, {}),
    finish: (held: Held, status = 'completed') =>
      about('finishServiceAction', held, { status, result: null, log: 'x' }),
    read: async (action: string) => (await open().records(serviceActionEntity).get(action))?.record,
  };
}

/** Runners, each of which believes to have what it claimed last. */
class Runners {
  readonly #acme: ReturnType<typeof organization>;
  /** The lease of each action that counts. */
  readonly #holders = new Map<string, string>();
  readonly #believed = new Map<number, Held>();

  constructor(acme: ReturnType<typeof organization>) {
    this.#acme = acme;
  }

  async claim(runner: number, skew: number): Promise<void> {
    const claimed = await this.#acme.claim(skew);
    if (claimed === undefined) return;
    this.#holders.set(claimed.id, claimed.lease);
    this.#believed.set(runner, claimed);
  }

  /** What a runner says counts if nobody has claimed its action since, and only then. */
  async goOn(runner: number, does: string): Promise<void> {
    const held = this.#believed.get(runner);
    if (held === undefined) return;
    const before = (await this.#acme.read(held.id))?.status;
    const done = await (does === 'finish' ? this.#acme.finish(held) : this.#acme.heartbeat(held));
    const isRepeated = does === 'finish' && before === 'completed';
    const counts = this.#holders.get(held.id) === held.lease && (before === 'running' || isRepeated);
    expect(done !== undefined).toBe(counts);
  }
}

it('goes to the next when its lease has ended, three times, and has failed then', async () => {
  const acme = organization();
  const id = await acme.ask();
  const before: Held[] = [];
  for (const attempts of [1, 2, 3]) {
    const held = await acme.claim();
    expect([held?.id, (await acme.read(id))?.attempts]).toEqual([id, attempts]);
    expect(await acme.claim()).toBeUndefined();
    for (const paused of before)
      expect([await acme.heartbeat(paused), await acme.finish(paused)]).toEqual([undefined, undefined]);
    if (held !== undefined) before.push(held);
    acme.pass(SECONDS - 1);
    expect(await acme.claim()).toBeUndefined();
    expect(await acme.heartbeat(held as Held)).toMatchObject({ status: 'running' });
    acme.pass(SECONDS - 1);
    expect(await acme.claim()).toBeUndefined();
    acme.pass(2);
  }
  // The third has it until another one claims it, however late it comes.
  expect(await acme.heartbeat(before[2] as Held)).toMatchObject({ status: 'running' });
  acme.pass(SECONDS + 1);
  const next = await acme.ask();
  expect((await acme.claim())?.id).toBe(next);
  expect(await acme.read(id)).toMatchObject({ status: 'failed', attempts: 3, queued: null });
  for (const status of ['completed', 'failed'])
    expect(await acme.finish(before[2] as Held, status), 'its log would be lost').toBeUndefined();
});

it('is one runner’s at a time, whatever runners, their pauses and clocks do', async () => {
  const step = fc.record({
    runner: fc.nat(3),
    does: fc.constantFrom('claim', 'claim', 'heartbeat', 'heartbeat', 'finish'),
    passes: fc.constantFrom(0, 0, 1, 20, 61),
    skew: fc.constantFrom(0, -4_900, 4_900),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 30 }), async (steps) => {
      const acme = organization();
      for (const scheduled of [0, 0, 30]) await acme.ask(scheduled);
      const runners = new Runners(acme);
      for (const { runner, does, passes, skew } of steps) {
        acme.pass(passes);
        await (does === 'claim' ? runners.claim(runner, skew) : runners.goOn(runner, does));
      }
    }),
    { numRuns: 10 },
  );
});

it('is claimed once by two at the same moment', async () => {
  const acme = organization();
  await acme.ask();
  const both = await Promise.all([acme.claim(), acme.claim(), acme.claim()]);
  expect(both.filter((held) => held !== undefined)).toHaveLength(1);
});
