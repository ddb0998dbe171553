import type { Caller } from '../../shared/identity/index.ts';
import { aCaller } from '../../test/support/caller.ts';
import { type Random, randomOf } from '../../test/support/random.ts';
import { MIXES } from '../cost/mixes.ts';
import { firstAbove } from '../statistics.ts';
import type { Operation } from './operations.ts';
import { FLOODED, FLOODING_KEYS, type Scenario, type Size, TENANTS } from './scenarios.ts';

/** Who sends what and when. A seed reproduces it. */

export interface Arrival {
  /** Milliseconds from the beginning. */
  readonly at: number;
  readonly isFlood: boolean;
  readonly operation: Operation;
  readonly caller: Caller;
  /** Network address of the sender. */
  readonly address: string;
}

const SEED = 21;

/** Most requests a second that an integration of the others sends: half of its budget. */
const OF_AN_INTEGRATION = 5;

interface Tenant {
  readonly callers: readonly Caller[];
  /** With the end of each operation's part of the requests, from 0 to 1. */
  readonly shares: readonly (readonly [operation: Operation, end: number])[];
}

/** All requests of a scenario, in the order of their arrival. */
export const arrivals = (
  scenario: Scenario,
  size: Size,
  operations: ReadonlyMap<string, Operation>,
): readonly Arrival[] =>
  [...othersArrivals(scenario.name, size, operations), ...floodArrivals(scenario, size, operations)].toSorted(
    (one, other) => one.at - other.at,
  );

/** By Zipf's law: the tenant of rank n sends a share of 1/n. */
function* othersArrivals(scenario: string, size: Size, operations: ReadonlyMap<string, Operation>): Generator<Arrival> {
  const random = randomOf(SEED, 'others');
  const ranks = Array.from({ length: TENANTS }, (_, index) => 1 / (index + 1));
  const whole = ranks.reduce((sum, share) => sum + share, 0);
  const tenants = ranks.map((share, rank) =>
    tenantOf(`${scenario}, ${rank}`, rank, (share / whole) * size.perSecond, operations),
  );
  const upTo = accumulated(ranks.map((share) => share / whole));
  for (const at of times(random, size.perSecond, 0, size.before + size.during)) {
    const tenant = tenants[firstAbove(upTo, fraction(random))] as Tenant;
    const part = fraction(random);
    const [operation] = tenant.shares.find(([, end]) => part < end) ?? tenant.shares[0] ?? [];
    const caller = random.oneOf(tenant.callers);
    if (operation !== undefined) yield { at, isFlood: false, operation, caller, address: caller.id };
  }
}

function tenantOf(name: string, rank: number, perSecond: number, operations: ReadonlyMap<string, Operation>): Tenant {
  const { shares } = MIXES[rank % MIXES.length] ?? MIXES[0];
  const upTo = accumulated(Object.values(shares));
  return {
    callers: callersOf(name, Math.ceil(perSecond / OF_AN_INTEGRATION)),
    shares: Object.keys(shares).map((title, index) => [operationOf(operations, title), upTo[index] ?? 1]),
  };
}

function* floodArrivals(
  { name, flood }: Scenario,
  { before, during }: Size,
  operations: ReadonlyMap<string, Operation>,
): Generator<Arrival> {
  if (flood === undefined) return;
  const random = randomOf(SEED, 'flood');
  const callers = callersOf(`${name}, flood`, FLOODING_KEYS);
  const operation = operationOf(operations, FLOODED);
  for (const at of times(random, flood.perSecond, before, during)) {
    const address = `flood-${random.below(flood.addresses)}`;
    yield { at, isFlood: true, operation, caller: random.oneOf(callers), address };
  }
}

function operationOf(operations: ReadonlyMap<string, Operation>, title: string): Operation {
  const operation = operations.get(title);
  if (operation === undefined) throw new Error(`${title} was not recorded`);
  return operation;
}

/** The integrations of a tenant. */
const callersOf = (tenant: string, count: number): readonly Caller[] =>
  Array.from({ length: count }, (_, index) => aCaller(tenant, { integration_id: `${tenant}, key ${index}` }));

/** Arrivals that know nothing of each other. In milliseconds. */
function* times(random: Random, perSecond: number, start: number, seconds: number): Generator<number> {
  const end = (start + seconds) * 1_000;
  for (let at = start * 1_000; ; ) {
    at += (-Math.log(1 - fraction(random)) / perSecond) * 1_000;
    if (at >= end) return;
    yield at;
  }
}

const PARTS = 2 ** 31;
const fraction = (random: Random): number => random.below(PARTS) / PARTS;

const accumulated = (shares: readonly number[]): number[] => {
  let sum = 0;
  return shares.map((share) => (sum += share));
};
