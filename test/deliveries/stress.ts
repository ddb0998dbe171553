import { Conflicts } from '../support/conflicts.ts';
import { DeliveryWorld, type Endpoint } from '../support/delivery-world.ts';
import type { FreshTable } from '../support/dynamodb.ts';
import { randomOf } from '../support/random.ts';
import { NO_TROUBLE, type Trouble, Workers } from './troubled-workers.ts';
import { eventsOf, Writers } from './troubled-writers.ts';

/**
 * Deliveries under everything that goes wrong at once, in virtual time: writers and workers die, sleep and conflict,
 * wake-ups are lost, receivers refuse and their responses are lost. Choices come from a seed; what happens at the same
 * time is up to the machine, and must not matter.
 */

export interface Size {
  readonly writers: number;
  readonly rounds: number;
}

const TROUBLE: Trouble = { death: 0.3, sleep: 0.02, twins: 0.25, fault: 0.01, refusal: 0.05, lostResponse: 0.02 };

/** Which messages of workers and changes arrive. Those of the schedule always do: it comes again. */
type WakeUps = 'most' | 'none';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

interface Stressed {
  readonly events: number;
  readonly endpoints: readonly {
    readonly name: string;
    /** How many events it should have got and did not. */
    readonly missing: number;
    /** Events that it should not have got. */
    readonly unwanted: number;
    /** First deliveries after a later one. */
    readonly late: number;
    readonly repeats: number;
    readonly repeatsWithoutExcuse: number;
    readonly isActive: boolean;
  }[];
  /** Writers that died or slept. */
  readonly troubles: number;
}

export async function stress(place: FreshTable, seed: number, size: Size, wakeUps: WakeUps): Promise<Stressed> {
  const random = randomOf(seed, 'world');
  const world = new DeliveryWorld(place);
  // Every other worker has a clock that is two months wrong.
  world.skews.push(60 * DAY, 0, -60 * DAY);
  const conflicts = new Conflicts({ milliseconds: 1 });
  const organization = await world.organization();
  const endpoints = {
    'one by one': await organization.endpoint(),
    'ten, with records': await organization.endpoint({ batch_size: 10, payload: 'record' }),
    'a hundred, of one type': await organization.endpoint({ batch_size: 100, event_types: ['terminal.updated'] }),
  };
  const workers = new Workers(world, conflicts, randomOf(seed, 'workers'));
  for (const endpoint of Object.values(endpoints)) workers.watch(endpoint);
  const writers = new Writers(world, place, organization, conflicts, randomOf(seed, 'writers'));
  let isOfSchedule = false;
  world.queue.loses = () => !isOfSchedule && (wakeUps === 'none' || random.chance(0.3));
  const schedule = async (): Promise<void> => {
    isOfSchedule = true;
    await world.schedule();
    isOfSchedule = false;
  };

  workers.trouble = TROUBLE;
  for (let round = 0; round < size.rounds; round++) {
    // Workers deliver while writers write.
    const writing = writers.write(size.writers);
    await world.wake(organization);
    await workers.run(world.now + random.below(20 * SECOND));
    await writing;
    world.now += random.below(30 * SECOND);
    if (round % 4 === 3) await schedule();
    await workers.run(world.now);
  }
  await writers.end();
  workers.trouble = NO_TROUBLE;
  // Every retry is due meanwhile.
  for (let turn = 0; turn < 12; turn++) {
    world.now += 5 * MINUTE;
    await schedule();
    await workers.run(world.now);
  }

  const events = await eventsOf(organization);
  return {
    events: events.length,
    endpoints: await Promise.all(
      Object.entries(endpoints).map(([name, endpoint]) => resultOf(name, endpoint, events, workers)),
    ),
    troubles: writers.troubles,
  };
}

async function resultOf(
  name: string,
  endpoint: Endpoint,
  events: Awaited<ReturnType<typeof eventsOf>>,
  workers: Workers,
) {
  const record = await endpoint.record();
  const types = record?.event_types;
  const wanted = events.flatMap(({ number, type }) => (types?.includes(type) === false ? [] : [number]));
  const first = workers.firstNumbers(endpoint);
  const [isWanted, isFirst] = [new Set(wanted), new Set(first)];
  const accepted = workers.accepted.get(endpoint) ?? [];
  return {
    name,
    missing: wanted.filter((number) => !isFirst.has(number)).length,
    unwanted: first.filter((number) => !isWanted.has(number)).length,
    late: first.filter((number, index) => number < (first[index - 1] ?? 0)).length,
    repeats: accepted.flatMap(({ numbers }) => numbers).length - first.length,
    repeatsWithoutExcuse: workers.repeatsWithoutExcuse(endpoint),
    isActive: record?.status === 'active',
  };
}
