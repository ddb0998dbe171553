import type { Reading } from './reads.ts';

export interface Bound {
  readonly claim: string;
  readonly value: number;
  readonly limit: number;
}

export const holds = ({ value, limit }: Bound): boolean => value <= limit;

/** What the lists promise, against what was measured in this run. */
export function boundsOf(readings: readonly Reading[]): Bound[] {
  const ours = readings.filter(({ way }) => way === 'counted list');
  const first = ours.find(({ list, page }) => list === 'no deletes' && page === 1);
  if (first === undefined) throw new Error('page 1 was not read');
  const bounds = ours
    .filter(({ page }) => page > 1)
    .flatMap(({ list, page, cost }): Bound[] => {
      const limit = list === 'no deletes' ? 3 : 12;
      const where = `page ${page.toLocaleString('en')} of "${list}" against page 1 of "no deletes"`;
      const own = ours.find((other) => other.list === list && other.page === 1) ?? first;
      return [
        { claim: `read units, ${where}`, value: cost.readUnits / first.cost.readUnits, limit },
        {
          claim: `milliseconds, page ${page.toLocaleString('en')} of "${list}" against its page 1`,
          value: cost.milliseconds / own.cost.milliseconds,
          limit: 3,
        },
      ];
    });
  const rounds = Math.max(...ours.map(({ cost }) => cost.rounds));
  return [{ claim: 'rounds of reads, any page', value: rounds, limit: 2 }, ...bounds];
}
