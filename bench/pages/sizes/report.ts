import type { Bound } from '../../statistics.ts';
import { markdown } from '../report.ts';
import { LIMITS, MOST_RESIDENT_MB } from './limits.ts';
import type { SizedReading } from './measure.ts';

const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** A row for each page, with the sizes beside each other. */
export function tableOfSizes(readings: readonly SizedReading[]): string {
  const lengths = [...new Set(readings.map(({ length }) => length))];
  const rows = Array.from(
    Map.groupBy(readings, ({ name }) => name),
    ([name, ofPage]) => [name, ...lengths.map((length) => cell(ofPage.find((reading) => reading.length === length)))],
  );
  const head = ['read units/round trips/ms of CPU', ...lengths.map((length) => `${number(length)} records`)];
  return markdown(head, rows);
}

const cell = (reading: SizedReading | undefined): string =>
  reading === undefined ? '' : `${number(reading.readUnits)}/${reading.roundTrips}/${reading.cpu.median.toFixed(1)}`;

/**
 * The promises of long lists, compared with the measurements of this run.
 * @param isFull whether the lists have the sizes that the limits are for
 */
export const sizeBounds = (readings: readonly SizedReading[], isFull: boolean): Bound[] =>
  readings.flatMap(({ size, length, name, readUnits, roundTrips, relative, residentMb }): Bound[] => {
    const limit = LIMITS[size]?.[name];
    if (limit === undefined) throw new Error(`no limits of ${number(size)}: ${name}`);
    const bound = (what: string, measured: Bound['measured'], atMost: number): Bound => ({
      claim: `${what}, ${number(length)}: ${name}`,
      measured,
      atMost,
    });
    const always = [
      bound('round trips', exactly(roundTrips), limit.roundTrips),
      bound('resident MB', exactly(residentMb), MOST_RESIDENT_MB),
    ];
    if (!isFull) return always;
    return [...always, bound('read units', exactly(readUnits), limit.units), bound('CPU', relative, limit.cpu)];
  });

const exactly = (value: number): Bound['measured'] => ({ low: value, median: value, high: value });
