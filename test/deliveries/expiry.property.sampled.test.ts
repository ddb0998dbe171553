import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { ids } from '@custodia/counted-lists';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JournalReader, journalEntity } from '#table';
import { recordsIn } from '../support/audit.ts';
import { DeliveryWorld, type Endpoint, type Organization } from '../support/delivery-world.ts';
import { freshTable } from '../support/dynamodb.ts';
import { byExtent } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';

/**
 * Endpoints around the end of the retention, with workers whose clocks are months wrong, and DynamoDB deleting expired
 * events in its own time: an endpoint gets each event after its cursor, or is told that it has expired.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const place = prepared(freshTable);

const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('write' as const), count: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      hours: fc.constantFrom(1, 24, 15 * 24, 29 * 24, 31 * 24),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('delete' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('deliver' as const),
      skew: fc.constantFrom(0, 0, -60 * DAY, 60 * DAY, 29 * DAY),
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

class Played {
  readonly #world: DeliveryWorld;
  readonly #acme: Organization;
  readonly #hook: Endpoint;
  /** The numbers of all events, whether they are kept or not. */
  readonly #written = new Set<number>();
  /** When it was delivered last. */
  #delivered: number;
  /** How often the endpoint has expired. */
  expired = 0;

  private constructor(world: DeliveryWorld, acme: Organization, hook: Endpoint) {
    this.#world = world;
    this.#acme = acme;
    this.#hook = hook;
    this.#delivered = world.now;
  }

  static async begin(): Promise<Played> {
    const world = new DeliveryWorld(place);
    const acme = await world.organization();
    return new Played(world, acme, await acme.endpoint());
  }

  async play(what: Act): Promise<void> {
    if (what.does === 'wait') this.#world.now += what.hours * HOUR;
    else if (what.does === 'write') await this.#write(what.count);
    else if (what.does === 'delete') await this.#delete(what.share);
    else await this.#deliver(what.skew);
  }

  async #write(count: number): Promise<void> {
    await this.#acme.change(count);
    for (const number of await this.#acme.numbers()) this.#written.add(number);
  }

  /** What DynamoDB's TTL does. */
  async #delete(share: number): Promise<void> {
    const { client, name } = this.#world.table;
    const events = await recordsIn(this.#world.table, `ORG#${this.#acme.id}#${journalEntity.name}`);
    const expired = events.filter(({ TTL }) => Number(TTL) * 1_000 <= this.#world.now);
    for (const { PK, SK } of expired.slice(0, Math.ceil(expired.length * share)))
      await client.send(new DeleteCommand({ TableName: name, Key: { PK, SK } }));
  }

  async #deliver(skew: number): Promise<void> {
    const cursor = async () => (await this.#hook.state())?.next ?? 0;
    const { receiver } = this.#hook;
    this.#world.skews.splice(0, 1, skew);
    const from = await cursor();
    receiver.calls.length = 0;
    await this.#world.schedule();
    await this.#world.run();
    const next = await cursor();
    const passed = [...this.#written].filter((number) => number >= from && number < next);
    expect([receiver.numbers(), this.#world.failures]).toEqual([passed, []]);
    const isBehind = [...this.#written].some((number) => number >= next);
    const status = await this.#hook.status();
    // The event of its own creation, which it does not get, expires too.
    const mayExpire = this.#world.now - this.#delivered > 29 * DAY;
    expect([['expired', 'cursor_expired'], ...(isBehind ? [] : [['active', null]])]).toContainEqual(status);
    if (!mayExpire) expect(status).toEqual(['active', null]);
    this.#delivered = this.#world.now;
    if (status[0] === 'expired') await this.#beginAnew();
  }

  /** With the oldest event that is kept. */
  async #beginAnew(): Promise<void> {
    this.expired += 1;
    const { events, next } = await new JournalReader(this.#acme.open()).read({ from: 'oldest', limit: 1 });
    await this.#hook.replay(events[0] === undefined ? next : ids.numberOf(events[0].id));
    await this.#hook.change({ status: 'active', status_reason: null });
  }
}

it('an endpoint gets each event after its cursor, or expires', async () => {
  let expired = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 12 }), async (acts) => {
      const played = await Played.begin();
      for (const what of acts) await played.play(what);
      expired += played.expired;
    }),
    { numRuns: byExtent({ sample: 10, extended: 20, nightly: 200 }) },
  );
  expect(expired).toBeGreaterThan(0);
});
