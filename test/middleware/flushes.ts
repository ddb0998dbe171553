import { hash, randomUUID } from 'node:crypto';
import type { Table } from '@custodia/counted-lists';
import { RequestSession, Tenant } from '#table';
import { Bucket, RequestCount } from '../../shared/tenancy/budget/bucket.ts';
import { type Budget, budgetsOf, flush } from '../../shared/tenancy/budget/request-budget.ts';
import { aCaller } from '../support/caller.ts';

/** Requests of an integration that may send 600 a minute. */
export interface Pace {
  readonly requests: number;
  /** From one request to the next, in milliseconds. */
  readonly everyMs: number;
  /** Among which the requests are divided at random. */
  readonly containers: number;
}

const LIMIT = 600;

/**
 * Plays requests in containers with a clock of their own.
 * @returns the write units of request budgets and of the numbers of requests (`docs/decisions/0081`, `0200`). An item
 * of a budget has less than 1 KB, so each call is one unit, whether its condition holds or not
 */
export async function flushUnits(table: Table, { requests, everyMs, containers }: Pace): Promise<number> {
  const caller = aCaller(randomUUID(), { integration_id: randomUUID(), rate_limit: String(LIMIT) });
  const name = `flushes-${caller.id}`;
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
