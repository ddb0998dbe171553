import type { Outcome } from './ports.ts';

/**
 * What a call says (`docs/decisions/0201-events.md`):
 * - `delivered`;
 * - `failed`: the endpoint fails, and the same events are sent again later, before any others;
 * - `refused`: these events are not accepted; other ones may be;
 * - `gone`: the receiver wants no events any more.
 */
export type Verdict = 'delivered' | 'failed' | 'refused' | 'gone';

/** Statuses that speak of the content: it is malformed, too large, or makes no sense. */
const OF_CONTENT: ReadonlySet<number> = new Set([400, 413, 422]);
const GONE = 410;

export function verdictOf(outcome: Outcome): Verdict {
  if ('error' in outcome) return 'failed';
  const { status } = outcome;
  if (status >= 200 && status < 300) return 'delivered';
  if (status === GONE) return 'gone';
  return OF_CONTENT.has(status) ? 'refused' : 'failed';
}
