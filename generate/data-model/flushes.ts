import { hash, randomUUID } from 'node:crypto';
import type { Table } from '@custodia/counted-lists';
import { RequestSession, Tenant } from '#table';
import { Bucket, RequestCount } from '../../shared/tenancy/budget/bucket.ts';
import { type Budget, budgetsOf, flush } from '../../shared/tenancy/budget/request-budget.ts';
import { aCaller } from '../../test/support/caller.ts';
import type { MarkdownTable } from '../markdown.ts';

/**
 * Writes of request budgets and of the numbers of requests (`docs/decisions/0081`, `0200`), in containers with a clock
 * of their own.
 */

interface Pace {
  readonly title: string;
  /** Requests of an integration that may send 600 a minute. */
  readonly requests: number;
  /** From one request to the next, in milliseconds. */
  readonly everyMs: number;
  /** Among which the requests are divided at random. */
  readonly containers: number;
  /** Fewest requests for a write unit. */
  readonly atLeast: number;
}

/**
 * Fewest requests for a write unit. An item of a budget has less than 1 KB, so each call is one unit, whether its
 * condition holds or not.
 */
export const REQUESTS_A_UNIT = 27;
/**
 * Where others flush too, a container often does not know whether the bucket is full, and then takes two units for a
 * batch.
 */
const REQUESTS_A_SHARED_UNIT = 21;

const ONE = { requests: 3_000, containers: 1, atLeast: REQUESTS_A_UNIT } as const;

const PACES: readonly Pace[] = [
  { ...ONE, title: 'a steady integration, five requests a second', everyMs: 200 },
  { ...ONE, title: 'a busy one, nine a second', everyMs: 111 },
  { ...ONE, title: 'a busy one, nine a second', everyMs: 111, containers: 4, atLeast: REQUESTS_A_SHARED_UNIT },
];

export interface Flushes extends Pace {
  readonly units: number;
}

export const flushTable = (flushes: readonly Flushes[]): MarkdownTable => ({
  head: ['budgets and numbers of requests of', 'containers', 'requests', 'write units', 'requests a unit', 'at least'],
  rows: flushes.map(({ title, containers, requests, units, atLeast }) => [
    title,
    ...[containers, requests, units, (requests / units).toFixed(1), atLeast].map(String),
  ]),
});

const LIMIT = 600;

export const measureFlushes = async (table: Table): Promise<readonly Flushes[]> => {
  const measured: Flushes[] = [];
  for (const pace of PACES) measured.push({ ...pace, units: await unitsAt(table, pace) });
  return measured;
};

export const flushBoundHolds = ({ requests, units, atLeast }: Flushes): boolean => units * atLeast <= requests;

async function unitsAt(table: Table, { requests, everyMs, containers }: Pace): Promise<number> {
  const caller = aCaller(randomUUID(), { integration_id: randomUUID(), rate_limit: String(LIMIT) });
  const name = `flushes-${caller.integrationId}`;
  let units = 0;
  table.client.middlewareStack.add(
    (next) => (call) => {
      units += 1;
      return next(call);
    },
    { step: 'initialize', name },
  );
  try {
    const known = Array.from({ length: containers }, () => [newlyKnown(), newlyKnown()]);
    const start = Date.UTC(2026, 10, 20, 9);
    for (let index = 0; index < requests; index++) {
      const now = start + index * everyMs;
      const tenant = Tenant.of(caller, new RequestSession(table, () => now, now + 10_000));
      const ofContainer = known[scattered(index) % containers] ?? [];
      const budgets = budgetsOf(caller, tenant).map((budget, each): Budget => ({ ...budget, ...ofContainer[each] }));
      budgets[0]?.count.add(now);
      for (const { bucket, limit } of budgets) bucket.take(limit, now);
      await Promise.all(budgets.map((budget) => flush(budget, now)));
    }
  } finally {
    table.client.middlewareStack.remove(name);
  }
  return units;
}

const newlyKnown = () => ({ bucket: new Bucket(), count: new RequestCount() });

/** The same bytes in each run, without a pattern. */
const scattered = (index: number): number => hash('sha256', String(index), 'buffer').readUInt8();
