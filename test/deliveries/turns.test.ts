import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { ids, listErrors } from '@custodia/counted-lists';
import { beforeEach, describe, expect, it } from 'vitest';
import { auditEventEntity, JournalReader, journalEntity, stagePing } from '#table';
import { readSuspension, stageSuspension } from '#tenancy';
import { turn } from '../../functions/events/deliveries/turn.ts';
import { work } from '../../functions/events/deliveries/work.ts';
import { allRegistered, type Registration, unregister } from '../../functions/events/state/register.ts';
import { stageStateEnd } from '../../functions/events/state/state.ts';
import { endpointEntity } from '../../functions/events/store.ts';
import { terminalEntity } from '../../functions/terminals/store.ts';
import { sortedBy } from '../support/asked.ts';
import type { Endpoint } from '../support/delivery-world.ts';
import { freshTable } from '../support/dynamodb.ts';
import { PausingHandler } from '../support/pauses.ts';
import { prepared } from '../support/prepared.ts';
import { begin, type Scene } from './scene.ts';

/** What a worker delivers, and what becomes of an endpoint, in virtual time. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const place = prepared(freshTable);
let world: Scene['world'];
let acme: Scene['acme'];
let hook: Scene['hook'];
beforeEach(async () => {
  ({ world, acme, hook } = await begin(place));
});

const change = (count = 1): Promise<void> => acme.changeAndWake(count);

/** Makes changes, and has them delivered. */
async function deliver(count = 1): Promise<void> {
  await change(count);
  await world.run();
}

async function rename(name: string): Promise<void> {
  await acme.do(async (tenant) => {
    const terminals = tenant.records(terminalEntity);
    const { records } = await terminals.page({ page: 1, page_size: 1, sort: sortedBy('created_at') });
    for (const each of records) await terminals.update(each, { name });
  });
}

async function wake(): Promise<void> {
  await world.wake(acme);
  await world.run();
}

/** Runs the worker up to a call of the table, does something then, and lets the worker go on. */
async function pausedBefore(
  [operation, text]: readonly [operation: string, text: string],
  what: () => Promise<unknown>,
  working: (worker: PausingHandler) => Promise<unknown> = (worker) => work({ tenant: acme.id }, world.worker(worker)),
): Promise<void> {
  const worker = new PausingHandler();
  const paused = worker.pauseBefore(operation, text);
  const running = working(worker);
  await paused.reached;
  await what();
  paused.release();
  await running;
}

const registered = async () => (await allRegistered(world.session())).filter(({ tenant }) => tenant === acme.id);
const isRegistered = async (): Promise<boolean> => (await registered()).length > 0;

/** Has the receiver respond with these statuses, one after the other, and with a success from then on. */
function respond(...statuses: readonly number[]): void {
  const left = [...statuses];
  hook.receiver.responds = () => ({ status: left.shift() ?? 204 });
}

describe('an endpoint', () => {
  it('gets the events of changes since it was made, in order, one by one', async () => {
    await acme.change(2);
    const late = await acme.endpoint();
    await deliver(3);
    expect(hook.receiver.numbers()).toEqual(await acme.numbers());
    expect(late.receiver.numbers()).toEqual((await acme.numbers()).slice(2));
    expect(late.receiver.calls).toHaveLength(3);
    expect(await late.state()).toMatchObject({ next: 7, last_success_at: expect.any(String) });
    expect(await late.state()).not.toHaveProperty('lease');
    expect(world.failures).toEqual([]);
  });

  it('is woken alone by a message that names it', async () => {
    const other = await acme.endpoint();
    await acme.change();
    await work({ tenant: acme.id, endpointId: other.id }, world.worker());
    expect([hook.receiver.calls.length, other.receiver.calls.length]).toEqual([0, 1]);
  });

  it('gets a signature by each of its secrets that has not expired', async () => {
    const [secret] = (await hook.record())?.secrets ?? [];
    if (secret === undefined) throw new Error('it has no secret');
    await hook.change({ secrets: [secret, { ...secret, expires_at: Math.floor(world.now / 1_000) + 60 }] });
    await deliver();
    world.now += 2 * MINUTE;
    await deliver();
    const signatures = hook.receiver.calls.map(({ headers }) => headers['webhook-signature']?.split(' ').length);
    expect(signatures).toEqual([2, 1]);
  });

  it('gets batches as large as it wants, each named by its events', async () => {
    await hook.change({ batch_size: 4, event_types: ['terminal.created'] });
    respond(500);
    await deliver(9);
    const [first, again, ...others] = hook.receiver.calls;
    expect(again).toMatchObject({ body: first?.body, id: first?.id });
    expect([again, ...others].map((call) => call?.events.length)).toEqual([4, 4, 1]);
    expect(JSON.parse(again?.body ?? '')).toMatchObject({
      type: 'batch',
      data: [{ type: 'terminal.created' }, {}, {}, {}],
    });
    expect(new Set(hook.receiver.calls.map(({ id }) => id)).size).toBe(3);
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
  });

  it('gets records as they are now, as many as have room; null where the integration may not read them', async () => {
    await hook.change({ batch_size: 100, payload: 'record' });
    await acme.change(1, 'Desk');
    await rename('x'.repeat(180_000));
    await deliver();
    const sent = hook.receiver.calls.map(({ events, body }) => [events.length, Buffer.byteLength(body) <= 262_144]);
    expect(sent).toEqual([
      [1, true],
      [2, true],
    ]);
    const names = hook.receiver.calls.flatMap(({ events }) =>
      events.map(({ record }) => (record as { name: string }).name.length),
    );
    expect(names).toEqual([180_000, 180_000, 4]);
  });

  it('has its cursor moved over events that it does not get, and is pinged whatever it gets', async () => {
    const other = await acme.endpoint({ event_types: ['ticket.created'] });
    await deliver(3);
    expect(other.receiver.calls).toEqual([]);
    expect(await other.state()).toMatchObject({ next: 5 });
    await acme.allow(['tickets:read']);
    await acme.do(async (tenant) => {
      await stagePing(tenant.records(journalEntity), endpointEntity, { id: other.id, version: 1 });
    });
    await wake();
    expect(other.receiver.calls.map(({ events }) => events[0]?.type)).toEqual(['webhook_endpoint.pinged']);
    expect(hook.receiver.calls).toHaveLength(3);
  });

  it('gets them in spite of odd entries in the register', async () => {
    for (const SK of ['odd', '#', `odd#${hook.id}`, `${acme.id}#`, `${acme.id}#${crypto.randomUUID()}`])
      await world.table.client.send(
        new PutCommand({
          TableName: world.table.name,
          Item: { PK: 'DELIVERIES', SK, ...(SK === 'odd' && { version: 1 }) },
        }),
      );
    await acme.change(2);
    await world.schedule();
    await world.run();
    expect([hook.receiver.numbers(), world.failures]).toEqual([await acme.numbers(), []]);
  });

  it('waits for a number that is open, and gets what follows when it is closed', async () => {
    await acme.change();
    await acme
      .open()
      .records(journalEntity)
      .create({ fields: {} as never });
    await change();
    await world.run(world.now + 1_000);
    expect(hook.receiver.calls).toHaveLength(1);
    await world.run();
    expect(hook.receiver.numbers()).toEqual(await acme.numbers());
    expect(hook.receiver.calls).toHaveLength(2);
  });
});

describe('an endpoint that fails', () => {
  it.each([500, 301, 429])('gets the same event again after %d, before any other', async (status) => {
    respond(status, status);
    await deliver(2);
    const [first, second] = await acme.numbers();
    expect(hook.receiver.numbers()).toEqual([first, first, first, second]);
    const [one = 0, two = 0, three = 0] = hook.receiver.calls.map(({ at }) => at);
    expect([two - one >= 5_000, two - one <= 12_000, three - two >= 10_000]).toEqual([true, true, true]);
    expect(await hook.attempts()).toMatchObject([
      { status_code: status, error: null, events: 1, skipped: false },
      { status_code: status },
    ]);
    expect(await hook.state()).not.toHaveProperty('failing_since');
  });

  it('is called after `Retry-After`, within an hour', async () => {
    const waits = [120, 10_000_000];
    hook.receiver.responds = () => ({ status: waits.length > 0 ? 429 : 204, retryAfterSeconds: waits.shift() ?? 0 });
    await change();
    await world.pass(3 * HOUR);
    const [one = 0, two = 0, three = 0] = hook.receiver.calls.map(({ at }) => at);
    expect(two - one).toBeGreaterThanOrEqual(120_000);
    expect(two - one).toBeLessThan(130_000);
    expect(three - two).toBeGreaterThanOrEqual(HOUR);
    expect(three - two).toBeLessThan(HOUR + 6 * MINUTE);
    expect(world.failures).toEqual([]);
  });

  it('is called no more often while changes go on', async () => {
    respond(500, 500);
    await change();
    await world.run(world.now + 1_000);
    for (let second = 0; second < 4; second++) {
      await change();
      await world.run(world.now + 1_000);
      world.now += 500;
    }
    expect(hook.receiver.calls).toHaveLength(1);
    await world.run();
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
  });

  it('is disabled after five days, audited, and begins anew when it is activated', async () => {
    hook.receiver.responds = () => ({ error: 'connection' });
    await change();
    await world.pass(HOUR);
    const { failing_for = 0 } = (await hook.state()) ?? {};
    expect([failing_for > 0.7 * HOUR, failing_for <= HOUR]).toEqual([true, true]);
    await hook.setState({ failing_for: 5 * DAY - 20 * MINUTE });
    await world.pass(10 * MINUTE);
    expect(await hook.status()).toEqual(['active', null]);
    await world.pass(HOUR);
    expect(await hook.status()).toEqual(['disabled', 'failing']);
    expect(await isRegistered()).toBe(false);
    const events = await acme.open().records(auditEventEntity).page({ page: 1, page_size: 1 });
    expect(events.records[0]?.record).toMatchObject({
      actor_type: 'service',
      record_id: hook.id,
      changed_fields: ['status', 'status_reason'],
    });
    const calls = hook.receiver.calls.length;
    await change();
    await world.pass(HOUR);
    expect(hook.receiver.calls).toHaveLength(calls);
    await hook.change({ status: 'active', status_reason: null });
    await world.wake(acme);
    await world.run(world.now + MINUTE);
    expect(await hook.status()).toEqual(['active', null]);
    respond();
    await world.pass(HOUR);
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
  });

  it('is not disabled by days in which nobody calls it', async () => {
    respond(500);
    await change();
    await world.run(world.now + 1_000);
    world.queue.loses = () => true;
    world.now += 6 * DAY;
    world.queue.loses = () => false;
    respond(500);
    await world.schedule();
    await world.run();
    expect(await hook.status()).toEqual(['active', null]);
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
  });

  it('is not disabled by days without events after one that it refused', async () => {
    respond(500, 422, 422, 422, 422, 422, 500);
    await change();
    await world.pass(HOUR);
    expect((await hook.attempts()).map(({ skipped }) => skipped)).toEqual([...Array(5).fill(false), true]);
    expect(await hook.state()).not.toHaveProperty('failing_since');
    world.now += 6 * DAY;
    await deliver();
    expect(await hook.status()).toEqual(['active', null]);
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
  });

  it('gets five calls with an event, also after refusing one that it no longer gets', async () => {
    respond(422, 422, 422, 422, 422);
    await change();
    await world.run(world.now + 2 * MINUTE);
    const before = hook.receiver.calls.length;
    expect(before).toBeLessThan(5);
    await hook.change({ event_types: ['terminal.updated'] });
    await rename('Front desk');
    await world.pass(HOUR);
    expect(hook.receiver.calls.slice(before).length).toBe(5 - before + 1);
    expect((await hook.attempts()).map(({ skipped }) => skipped)).toEqual(Array(5).fill(false));
  });

  it('is disabled at once by 410', async () => {
    respond(410);
    await change(2);
    await world.pass(HOUR);
    expect(await hook.status()).toEqual(['disabled', 'gone']);
    expect(hook.receiver.calls).toHaveLength(1);
    expect(await hook.attempts()).toMatchObject([{ status_code: 410 }]);
    expect(await isRegistered()).toBe(false);
  });

  it('gets the events of a refused batch one by one, and the bad one five times', async () => {
    await hook.change({ batch_size: 10 });
    await change(5);
    const [, , poison] = await acme.numbers();
    hook.receiver.responds = ({ events }) => ({
      status: events.some(({ id }) => ids.numberOf(id) === poison) ? 422 : 204,
    });
    await world.run();
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
    expect(hook.receiver.calls.map(({ events }) => events.length)).toEqual([5, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    const attempts = await hook.attempts();
    expect(attempts.map(({ events, skipped }) => [events, skipped])).toEqual([
      [5, false],
      ...Array(4).fill([1, false]),
      [1, true],
    ]);
    expect(await hook.status()).toEqual(['active', null]);
    await deliver(3);
    expect(hook.receiver.calls.at(-1)?.events).toHaveLength(3);
  });
});

describe('an endpoint gets nothing', () => {
  /** As where records were restored: their numbers are others. */
  const raiseGeneration = () => acme.do(async (tenant) => new JournalReader(tenant).raiseGeneration());
  const nothing = async (reason: readonly unknown[], isStillRegistered = false): Promise<void> => {
    await change();
    await world.pass(10 * MINUTE);
    expect(hook.receiver.calls).toEqual([]);
    expect(await hook.status()).toEqual(reason);
    expect(await isRegistered()).toBe(isStillRegistered);
  };

  it('when the tokens of its integration were ended, until it is confirmed', async () => {
    await acme.endTokens();
    await nothing(['paused', 'tokens_ended']);
    await hook.change({ status: 'active', status_reason: null, confirmed: { token_epoch: 1, permissions: null } });
    await wake();
    expect(hook.receiver.numbers()).toEqual(await acme.numbers());
  });

  it('but it is read again if somebody confirms it while it is being stopped', async () => {
    await acme.endTokens();
    await change();
    await pausedBefore(
      ['GetItem', '#CREDENTIALS'],
      () => hook.change({ confirmed: { token_epoch: 1, permissions: null } }),
      (worker) => world.run(undefined, () => worker),
    );
    expect([hook.receiver.calls.length, await hook.status(), await isRegistered()]).toEqual([
      1,
      ['active', null],
      true,
    ]);
  });

  it('but stays registered if it is activated while it is being unregistered', async () => {
    const [before] = await registered();
    await hook.change({ status: 'paused', status_reason: 'requested' });
    await hook.change({ status: 'active', status_reason: null });
    if (before !== undefined) await unregister(world.table, before);
    await deliver();
    expect([hook.receiver.calls.length, await isRegistered()]).toEqual([1, true]);
  });

  const withLess = { token_epoch: 0, permissions: ['terminals:read' as const] };
  it.each([
    ['its integration is inactive', () => acme.setIntegration('inactive'), ['paused', 'integration_inactive']],
    ['its integration may do more', () => hook.change({ confirmed: withLess }), ['paused', 'more_permissions']],
    ['its table was restored', () => raiseGeneration(), ['expired', 'cursor_expired']],
  ])('when %s', async (_, what, status) => {
    await what();
    await nothing(status);
  });

  it('when it is paused, and is forgotten when it is deleted', async () => {
    await hook.change({ status: 'paused', status_reason: 'requested' });
    await nothing(['paused', 'requested']);
    const other = await acme.endpoint();
    await deleteEndpoint(other);
    await wake();
    expect([await isRegistered(), world.failures]).toEqual([false, []]);
  });

  it('while its organization is suspended, and everything afterwards; an erased one is forgotten', async () => {
    const suspend = (state?: 'suspended' | 'erased') =>
      acme.do(async (tenant) =>
        stageSuspension(
          tenant,
          await readSuspension(tenant, true),
          state && { state, since: tenant.session.timestamp },
        ),
      );
    await suspend('suspended');
    await nothing(['active', null], true);
    await suspend();
    await world.pass(5 * MINUTE);
    expect(hook.receiver.numbers()).toEqual(await acme.numbers());
    await suspend('erased');
    await change();
    await world.pass(5 * MINUTE);
    expect([hook.receiver.calls.length, await isRegistered()]).toEqual([1, false]);
  });

  it('that its integration may no longer read', async () => {
    await hook.change({ event_types: null });
    await acme.allow(['clients:read']);
    await nothing(['active', null], true);
    expect(await hook.state()).toMatchObject({ next: 3 });
  });

  it('when the next events have expired, until a replay sets another cursor', async () => {
    world.queue.loses = () => true;
    await change(2);
    world.now += 32 * DAY;
    await acme.change(2);
    world.queue.loses = () => false;
    await nothing(['expired', 'cursor_expired']);
    const kept = await acme.numbers();
    await hook.replay(kept[0] ?? 0);
    await hook.change({ status: 'active', status_reason: null });
    await wake();
    expect(hook.receiver.numbers()).toEqual(kept);
  });

  it('of a table that was restored, which the schedule finds before anything changes', async () => {
    await change();
    await wake();
    await raiseGeneration();
    await world.pass(5 * MINUTE);
    expect(await hook.status()).toEqual(['expired', 'cursor_expired']);
  });
});

describe('during a turn', () => {
  /** Does something while the receiver has the third event. */
  const meanwhile = (what: () => Promise<unknown>): void => {
    hook.receiver.responds = async () => {
      if (hook.receiver.calls.length === 3) await what();
      return { status: 204 };
    };
  };

  it('a replay begins with its next call', async () => {
    meanwhile(async () => {
      await hook.replay((await acme.numbers())[0] ?? 0);
      await world.wake(acme);
    });
    await deliver(5);
    const all = await acme.numbers();
    expect(hook.receiver.numbers()).toEqual([...all.slice(0, 3), ...all]);
  });

  it('a deletion ends it', async () => {
    meanwhile(() => deleteEndpoint(hook));
    await change(5);
    await world.pass(5 * MINUTE);
    expect([hook.receiver.calls.length, await isRegistered(), world.failures]).toEqual([3, false, []]);
  });

  it('an ended key, or a suspension, ends it within five seconds', async () => {
    world.latency = 2_000;
    meanwhile(() => acme.endTokens());
    await deliver(9);
    expect(hook.receiver.calls).toHaveLength(3);
    expect(await hook.status()).toEqual(['paused', 'tokens_ended']);
  });

  it('events between its last read and its end are delivered', async () => {
    await acme.change();
    const [registration] = (await registered()) as [Registration];
    hook.receiver.responds = async () => {
      // Another worker is woken while this one has the lease: it reads nothing.
      await acme.change();
      if (hook.receiver.calls.length < 4) await work({ tenant: acme.id }, world.worker());
      return { status: 204 };
    };
    expect(await turn(registration, world.worker())).toBe(undefined);
    expect(hook.receiver.numbers()).toEqual((await acme.numbers()).slice(0, 4));
  });

  it('events during the first of several calls are delivered, too', async () => {
    await acme.change(3);
    hook.receiver.responds = async () => {
      if (hook.receiver.calls.length > 1) return { status: 204 };
      await acme.change();
      await work({ tenant: acme.id }, world.worker());
      return { status: 204 };
    };
    await work({ tenant: acme.id }, world.worker());
    expect(hook.receiver.numbers()).toEqual(await acme.numbers());
  });

  it('a worker that finds it leased takes the turn if it is free by the time of the wake-up', async () => {
    const late = new PausingHandler();
    const paused = late.pauseBefore('UpdateItem', '"wakes"');
    let waking: Promise<void> | undefined;
    hook.receiver.responds = async () => {
      waking ??= work({ tenant: acme.id }, world.worker(late));
      await paused.reached;
      return { status: 204 };
    };
    await acme.change();
    await work({ tenant: acme.id }, world.worker());
    await acme.change();
    paused.release();
    await waking;
    expect(hook.receiver.numbers()).toEqual(await acme.numbers());
  });

  it.each([
    [1_900, 11],
    [2_000, 10],
    [2_100, 1],
    [9_000, 1],
  ])(
    'no call begins after 20 seconds, or after a slow one, where each takes %d ms; another turn goes on',
    async (latency, calls) => {
      world.latency = latency;
      await change(12);
      const [registration] = (await registered()) as [Registration];
      expect(await turn(registration, world.worker())).toBe(0);
      expect(hook.receiver.calls).toHaveLength(calls);
      await world.run();
      expect(hook.receiver.numbers()).toEqual(await acme.numbers());
    },
  );

  it.each([
    ['while it took its lease', 'UpdateItem', '"lease_until"'],
    ['while it read the journal', 'Query', '#EVENT'],
    ['while it made its call', 'BatchGetItem', '#TERMINAL'],
  ])('a worker that was paused for an hour %s delivers nothing that it had read before', async (_, operation, text) => {
    await hook.change({ payload: 'record' });
    await acme.change();
    await pausedBefore([operation, text], async () => {
      world.now += HOUR;
      await acme.endTokens();
    });
    expect(hook.receiver.calls).toEqual([]);
  });

  it.each([204, 410, 422, 500])(
    'a worker whose lease has ended changes nothing after a %d: the one after it does',
    async (status) => {
      const pass = { status: 204 } as const;
      hook.receiver.responds = async () => {
        if (hook.receiver.calls.length > 1) return pass;
        world.now += MINUTE + 1;
        await work({ tenant: acme.id }, world.worker());
        return { status };
      };
      await acme.change(3);
      await work({ tenant: acme.id }, world.worker());
      const [first, ...others] = await acme.numbers();
      expect(hook.receiver.numbers()).toEqual([first, first, ...others]);
      expect(await hook.state()).toMatchObject({ next: 4 });
      expect([await hook.attempts(), await hook.status()]).toEqual([[], ['active', null]]);
    },
  );
});

describe('with clocks that are 60 days wrong', () => {
  it('everything is delivered, first deliveries in order, and nobody is disabled', async () => {
    world.skews.splice(0, 1, 0, 60 * DAY, -60 * DAY);
    let calls = 0;
    hook.receiver.responds = () => ({ status: ++calls % 3 === 0 ? 204 : 500 });
    await change(6);
    await world.pass(2 * HOUR);
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
    expect(await hook.status()).toEqual(['active', null]);
    expect(await hook.state()).toMatchObject({ next: 7 });
  });
});

describe('a flood', () => {
  it('of one organization keeps another waiting for one turn at most', async () => {
    const other = await world.organization();
    const theirs = await other.endpoint();
    world.latency = 500;
    await acme.flood(120);
    for (let times = 0; times < 30; times++) await world.wake(acme);
    await world.run(world.now);
    const since = world.now;
    await other.changeAndWake();
    await world.run();
    const [first] = theirs.receiver.calls;
    expect((first?.at ?? 0) - since).toBeLessThanOrEqual(21_500);
    expect(hook.receiver.numbers()).toEqual(await acme.numbers());
  });
});

it('an endpoint whose secret cannot be opened fails its message, keeps no lease, and delays no other', async () => {
  const other = await acme.endpoint();
  await hook.change({ secrets: [{ sealed: 'odd', expires_at: null }] });
  await acme.change();
  await expect(work({ tenant: acme.id }, world.worker())).rejects.toThrow();
  expect(await hook.state()).not.toHaveProperty('lease');
  expect(other.receiver.calls).toHaveLength(1);
});

it('a message that fails is received again', async () => {
  await change();
  const failing = {
    ...world.worker(),
    open: () => {
      throw new listErrors.TableUnavailable('it is away');
    },
  };
  await expect(work({ tenant: acme.id }, failing)).rejects.toThrow('it is away');
});

/** As the API does it, but for the attempts. */
const deleteEndpoint = ({ id }: Endpoint): Promise<void> =>
  acme.do(async (tenant) => {
    const stored = await tenant.records(endpointEntity).get(id);
    if (stored === undefined) return;
    await tenant.records(endpointEntity).remove(stored);
    stageStateEnd(tenant, id);
  });
