import { DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { FreshTable } from '../../test/support/dynamodb.ts';
import { SideBySide } from '../../test/support/side-by-side.ts';
import type { Bound } from '../bounds.ts';

/** Tenants whose receivers are slow, and how long another one waits for its own events, in virtual time. */

/** How long a slow receiver takes, in milliseconds: nearly as long as it may. */
const SLOW = 9_000;
/** Between two events of the other tenant, in milliseconds. */
const EVERY = 7_000;
const ENDPOINTS = 6;

interface Stage {
  readonly name: string;
  /** Of all tenants (`deliveryConcurrency`). */
  readonly workers: number;
}

export const STAGES = [
  { name: '`small`', workers: 5 },
  { name: '`standard`', workers: 50 },
  { name: 'one machine', workers: 4 },
] as const satisfies readonly Stage[];

export interface Waited extends Stage {
  readonly slowTenants: number;
  /** From the commit of each of the other tenant's events to its delivery, in seconds. */
  readonly waits: readonly number[];
  /** Calls of the slow receiver that got the fewest. */
  readonly fewestCalls: number;
}

/** @param events of the other tenant */
export async function slowReceivers(
  place: FreshTable,
  { name, workers }: Stage,
  slowTenants: number,
  events: number,
): Promise<Waited> {
  const world = new DeliveryWorld(place);
  world.slots = Math.floor(workers / 2);
  const ours = await world.organization();
  const fast = await ours.endpoint();
  const slow = [];
  for (let tenant = 0; tenant < slowTenants; tenant++) {
    const theirs = await world.organization();
    for (let made = 0; made < ENDPOINTS; made++) slow.push(await theirs.endpoint());
    await theirs.flood(60);
  }
  for (const { receiver } of slow) receiver.latency = SLOW;
  await world.schedule();
  const workersSideBySide = new SideBySide(world, workers);
  const committed: number[] = [];
  for (let made = 0; made < events; made++) {
    await workersSideBySide.run(world.now + EVERY);
    committed.push(world.now);
    await ours.changeAndWake();
  }
  await workersSideBySide.run(world.now + EVERY);
  return {
    ...{ name, workers, slowTenants },
    waits: committed.map((at, index) => ((fast.receiver.calls[index]?.at ?? Number.POSITIVE_INFINITY) - at) / 1_000),
    fewestCalls: Math.min(...slow.map(({ receiver }) => receiver.calls.length)),
  };
}

/** One slow tenant keeps nobody waiting; several do so for one call. */
export const slowBounds = ({ name, workers, slowTenants, waits, fewestCalls }: Waited): Bound[] => [
  {
    claim: `seconds that events wait beside ${slowTenants} tenants with ${ENDPOINTS} slow receivers each, at most (${name}: ${workers} workers)`,
    value: Math.max(...waits),
    limit: slowTenants === 1 ? 1 : SLOW / 1_000 + 1,
  },
  {
    claim: `slow receivers that got no second call meanwhile (${name}, ${slowTenants} tenants)`,
    value: Number(fewestCalls < 2),
    limit: 0,
  },
];

/** The bounds of each stage, beside one slow tenant and beside three. */
export async function slowInAllStages(placeOf: () => Promise<FreshTable>, isSmall: boolean): Promise<Bound[]> {
  const bounds: Bound[] = [];
  for (const stage of STAGES)
    for (const tenants of [1, 3])
      bounds.push(...slowBounds(await slowReceivers(await placeOf(), stage, tenants, isSmall ? 12 : 30)));
  return bounds;
}
