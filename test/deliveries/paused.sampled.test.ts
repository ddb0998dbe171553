import { listErrors } from '@custodia/counted-lists';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { expect, it } from 'vitest';
import { work } from '../../functions/events/deliveries/work.ts';
import { freshTable } from '../support/dynamodb.ts';
import { sampled } from '../support/extent.ts';
import { FaultyHandler } from '../support/faults.ts';
import { prepared } from '../support/prepared.ts';
import { begin } from './scene.ts';

/**
 * A worker that is paused for an hour at any call of the table, before it is sent or before its response is read, while
 * another delivers everything: nothing is missing, first deliveries are in order, what comes twice is one batch, and
 * the endpoint stays as it is. Single pauses: `lease.test.ts`.
 */

const HOUR = 3_600_000;
/** So many calls of the table a worker makes at least, by the response to its first delivery. */
const CALLS = [
  [204, 13],
  [500, 11],
  [422, 19],
] as const;

const place = prepared(freshTable);

type Side = 'before' | 'after';

/** Does something else at one of its calls. */
class Interrupted extends FaultyHandler {
  readonly #at: number;
  readonly #side: Side;
  readonly #meanwhile: () => Promise<void>;

  constructor(at: number, side: Side, meanwhile: () => Promise<void>) {
    super();
    this.#at = at;
    this.#side = side;
    this.#meanwhile = meanwhile;
  }

  override async handle(...call: Parameters<NodeHttpHandler['handle']>) {
    const isIt = this.calls.length === this.#at;
    if (isIt && this.#side === 'before') await this.#meanwhile();
    const handled = await super.handle(...call);
    if (isIt && this.#side === 'after') await this.#meanwhile();
    return handled;
  }
}

const cases = (['before', 'after'] as const).flatMap((side) =>
  CALLS.flatMap(([status, calls]) => Array.from({ length: calls }, (_, index) => [side, index, status] as const)),
);

it.each(sampled(cases, 12))('%s call %i, where the first delivery gets a %d', async (side, index, status) => {
  const { world, acme, hook } = await begin(place, { batch_size: 2, payload: 'record' });
  await acme.change(5);
  hook.receiver.responds = () => ({ status: hook.receiver.calls.length === 1 ? status : 204 });
  let isReached = false;
  const meanwhile = async (): Promise<void> => {
    isReached = true;
    world.now += HOUR;
    await acme.change();
    await work({ tenant: acme.id }, world.worker());
  };
  await work({ tenant: acme.id }, world.worker(new Interrupted(index, side, meanwhile))).catch((error: unknown) => {
    // It does not store with a number that it has had for so long.
    expect(error).toBeInstanceOf(listErrors.TableUnavailable);
  });
  await world.pass(HOUR);
  const numbers = await acme.numbers();
  expect(hook.receiver.firstNumbers()).toEqual(numbers);
  // The batch that the receiver did not accept, and the one that was under way.
  expect(hook.receiver.numbers().length - numbers.length).toBeLessThanOrEqual(status === 204 ? 2 : 4);
  expect([await hook.status(), world.failures, isReached]).toEqual([['active', null], [], true]);
  expect(await hook.state()).not.toHaveProperty('lease');
});
