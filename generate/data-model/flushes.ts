import { randomUUID } from 'node:crypto';
import type { Table } from '#lists';
import { RequestSession } from '#table';
import { RequestBudget } from '../../shared/http/budget/request-budget.ts';
import { aCaller } from '../../test/support/caller.ts';
import type { MarkdownTable } from '../markdown.ts';

/**
 * Writes of request budgets and of the numbers of requests (`docs/decisions/0081`, `0200`), in one container with a clock of its own.
 */

interface Pace {
  readonly title: string;
  /** Requests of an integration that may send 600 a minute. */
  readonly requests: number;
  /** From one request to the next, in milliseconds. */
  readonly everyMs: number;
}

/** Fewest requests for a write unit. An item of a budget has less than 1 KB, so each call is one unit, whether its condition holds or not. */
export const REQUESTS_A_UNIT = 27;

const PACES: readonly Pace[] = [
  { title: 'a steady integration, five requests a second', requests: 3_000, everyMs: 200 },
  { title: 'a busy one, nine a second', requests: 3_000, everyMs: 111 },
];

export interface Flushes extends Pace {
  readonly units: number;
}

export const flushTable = (flushes: readonly Flushes[]): MarkdownTable => ({
  head: ['budgets and numbers of requests of', 'requests', 'write units', 'requests a unit', 'at least'],
  rows: flushes.map(({ title, requests, units }) => [
    title,
    ...[requests, units, (requests / units).toFixed(1), REQUESTS_A_UNIT].map(String),
  ]),
});

const LIMIT = 600;

export const measureFlushes = async (table: Table): Promise<readonly Flushes[]> => {
  const measured: Flushes[] = [];
  for (const pace of PACES) measured.push({ ...pace, units: await unitsAt(table, pace) });
  return measured;
};

export const flushBoundHolds = ({ requests, units }: Flushes): boolean => units * REQUESTS_A_UNIT <= requests;

async function unitsAt(table: Table, { requests, everyMs }: Pace): Promise<number> {
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
    const start = Date.UTC(2026, 10, 20, 9);
    for (let index = 0; index < requests; index++) {
      const now = start + index * everyMs;
      const budget = new RequestBudget(new RequestSession(table, () => now, now + 10_000));
      budget.charge(caller);
      await budget.flushed;
    }
  } finally {
    table.client.middlewareStack.remove(name);
  }
  return units;
}
