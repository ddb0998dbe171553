/** A promise of the pages, compared with this run. */
export interface Bound {
  readonly claim: string;
  readonly value: number;
  readonly limit: number;
}

export const holds = ({ value, limit }: Bound): boolean => value <= limit;

/** As a line of a benchmark's output. */
export const lineOf = (bound: Bound): string =>
  `${holds(bound) ? 'PASS' : 'FAIL'}  ${Number(bound.value.toFixed(2))} ≤ ${bound.limit}  ${bound.claim}`;
