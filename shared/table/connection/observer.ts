import type { Observer } from '@custodia/counted-lists';
import { countUnits, increment, workBegun } from '#telemetry';

const COUNTERS = {
  calls: 'TableCalls',
  retries: 'TableRetries',
  conflicts: 'TransactionConflicts',
  fences: 'ListFences',
  releases: 'ListReturns',
  compactions: 'ListCompactions',
} as const;

/** Reports what the table does to the metrics of the invocation. */
export const observer: Observer = {
  count: (what, times) => increment(COUNTERS[what], times),
  countUnits,
  callsMade: () => workBegun().calls,
};
