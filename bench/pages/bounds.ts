import type { Contention } from './contention.ts';
import type { PageReading } from './reads.ts';
import { COUNTED } from './ways.ts';
import { SERIES, type Writing } from './writes.ts';

export interface PageBound {
  readonly claim: string;
  readonly value: number;
  readonly limit: number;
}

export const pageBoundHolds = ({ value, limit }: PageBound): boolean => value <= limit;

interface Measured {
  readonly readings: readonly PageReading[];
  readonly writings: readonly Writing[];
  readonly contentions: readonly Contention[];
}

/** The promises of the lists, compared with the measurements of this run. */
export const pageBounds = ({ readings, writings, contentions }: Measured): PageBound[] => [
  ...readBounds(readings.filter(({ way }) => way.startsWith(COUNTED))),
  ...writings
    .filter(({ series }) => series === SERIES.counted)
    .map(({ fields, writeUnits }) => ({
      claim: `write units, a create in a list with ${fields} filters`,
      value: writeUnits,
      // The allocation of the number, then a plain put, or a transaction of the record and a set for each filter.
      limit: fields === 0 ? 2 : 3 + 2 * fields,
    })),
  ...contentions.map(({ what, sends, atMost }) => ({
    claim: `transactions sent for each that succeeds, where ${what}`,
    value: sends,
    limit: atMost,
  })),
];

function readBounds(ours: readonly PageReading[]): PageBound[] {
  const roundTrips = Math.max(...ours.map(({ cost }) => cost.roundTrips));
  const first = ours.filter(({ page, way }) => page === 1 && way === COUNTED);
  const firstRoundTrips = Math.max(...first.map(({ cost }) => cost.roundTrips));
  return [
    { claim: 'round trips of reads, any page', value: roundTrips, limit: 2 },
    { claim: 'round trips of reads, page 1 without a filter', value: firstRoundTrips, limit: 1 },
    ...ours
      .filter(({ page }) => page > 1)
      .flatMap((reading): PageBound[] => {
        const own = ours.find(({ list, way, page }) => list === reading.list && way === reading.way && page === 1);
        if (own === undefined) throw new Error('page 1 was not read');
        const where = `page ${reading.page.toLocaleString('en')} of "${reading.list}", ${reading.way}, against its page 1`;
        return [
          { claim: `read units, ${where}`, value: reading.cost.readUnits / own.cost.readUnits, limit: 1.2 },
          { claim: `milliseconds, ${where}`, value: reading.cost.milliseconds / own.cost.milliseconds, limit: 3 },
        ];
      }),
  ];
}
