import { type Spread, spreadText } from './statistics.ts';

/** A promise of the pages, with what this run measured. */
export interface Bound {
  readonly claim: string;
  readonly measured: Spread | number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Whether a bound holds. It is exceeded only when the nearer quartile exceeds it, too. */
export function holds({ measured, atLeast = -Infinity, atMost = Infinity }: Bound): boolean {
  const { low, high } = typeof measured === 'number' ? { low: measured, high: measured } : measured;
  return high >= atLeast && low <= atMost;
}

/** `FAIL  0.72 (0.70–0.74) ≥ 1  get` */
export function boundText(bound: Bound): string {
  const { claim, measured, atLeast, atMost } = bound;
  const shown = typeof measured === 'number' ? String(Number(measured.toFixed(2))) : spreadText(measured);
  const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return `${holds(bound) ? 'PASS' : 'FAIL'}  ${shown} ${limit}  ${claim}`;
}
