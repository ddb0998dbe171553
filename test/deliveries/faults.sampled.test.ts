import { ids } from '@custodia/counted-lists';
import { expect, it } from 'vitest';
import { journalEntity } from '#table';
import { work } from '../../functions/events/deliveries/work.ts';
import type { Endpoint, Organization } from '../support/delivery-world.ts';
import { freshTable } from '../support/dynamodb.ts';
import { sampled } from '../support/extent.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { prepared } from '../support/prepared.ts';
import { begin } from './scene.ts';

/**
 * Workers that die or meet a fault at any call of the table, or are there twice, and wake-ups that are lost: nothing is
 * missing, first deliveries are in order, and what comes twice is the batch that was under way. At random:
 * `stress.sampled.test.ts`.
 */

const MINUTE = 60_000;

const place = prepared(freshTable);

/** Refuses the third event, and fails at first. */
function beDifficult({ receiver }: Endpoint, poison: number | undefined): void {
  receiver.responds = ({ events }) => {
    if (receiver.calls.length === 1) return { status: 500 };
    return { status: events.some(({ id }) => ids.numberOf(id) === poison) ? 422 : 204 };
  };
}

/** What is delivered more than once, beyond what the receiver has asked for. */
async function check(acme: Organization, { receiver }: Endpoint, mostRepeated: number): Promise<void> {
  const numbers = await acme.numbers();
  expect(receiver.firstNumbers()).toEqual(numbers);
  const poison = numbers[2];
  const accepted = receiver.calls
    .slice(1)
    .filter(({ events }) => !events.some(({ id }) => ids.numberOf(id) === poison));
  const repeated = accepted.flatMap(({ events }) => events).length - (numbers.length - 1);
  expect(repeated).toBeLessThanOrEqual(mostRepeated);
}

const FAULTS: readonly Fault[] = ['crash', 'crash-after', 'reply-lost', 'forgotten', 'conflict', 'server-error'];
/** So many calls the workers make at least. */
const CALLS = 64;

it.each(
  sampled(
    FAULTS.flatMap((fault) => Array.from({ length: CALLS }, (_, index) => [fault, index] as const)),
    14,
  ),
)('%s at call %i of the workers', async (fault, index) => {
  const { world, acme, hook } = await begin(place, { batch_size: 2 });
  await acme.change(6);
  beDifficult(hook, (await acme.numbers())[2]);
  await world.wake(acme);
  let calls = 0;
  const over = () => {
    const handler = new FaultyHandler();
    handler.plan = () => (calls++ === index ? fault : undefined);
    return handler;
  };
  await world.run(undefined, over);
  await world.pass(10 * MINUTE);
  await check(acme, hook, 2);
  expect(await hook.attempts().then((all) => all.filter(({ skipped }) => skipped))).toHaveLength(1);
  expect(calls).toBeGreaterThan(index);
});

it('several workers at once deliver as one does', async () => {
  const { world, acme, hook } = await begin(place, { batch_size: 3 });
  for (let round = 0; round < 4; round++) {
    await acme.change(7);
    await Promise.all(Array.from({ length: 4 }, () => work({ tenant: acme.id }, world.worker())));
  }
  await world.run();
  expect(hook.receiver.numbers()).toEqual(await acme.numbers());
});

it('without a single wake-up, the schedule delivers everything', async () => {
  const { world, acme, hook } = await begin(place, { batch_size: 2 });
  // Only what the schedule itself sends arrives: the wake-up and the workers' own messages are lost.
  let isScheduled = false;
  world.queue.loses = () => !isScheduled;
  const schedule = async () => {
    isScheduled = true;
    await world.schedule();
    isScheduled = false;
    await world.run();
    world.now += 5 * MINUTE;
  };
  for (let round = 0; round < 3; round++) {
    await acme.changeAndWake(4);
    await schedule();
  }
  hook.receiver.responds = () => ({ status: hook.receiver.calls.length % 2 === 0 ? 503 : 204 });
  await acme
    .open()
    .records(journalEntity)
    .create({ fields: {} as never });
  await acme.change(4);
  for (let round = 0; round < 8; round++) await schedule();
  expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
});
