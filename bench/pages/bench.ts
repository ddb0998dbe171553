import type { EngineName } from '../../local/dynamodb/engine.ts';
import { Conflicts } from '../../test/support/conflicts.ts';
import { jobTable } from '../../test/support/jobs.ts';
import type { Bound } from '../bounds.ts';
import { type Bench, runBench, writeFigures } from '../harness.ts';
import { measureContention } from './contention.ts';
import { LIMITS, MOST_RESIDENT_MB } from './limits.ts';
import { casesOf, comparedCases } from './lists.ts';
import { measurePages, type PageReading } from './measure.ts';

interface PagesOptions {
  readonly small: boolean;
  /** Many writers at once, pages against the usual ways, and pages up to ten million records. */
  readonly part: readonly ('writers' | 'compared' | 'sizes')[];
  readonly writeDocs: boolean;
  readonly engine?: EngineName;
}

/** Writes lists, reads their pages, reports. @returns whether every bound holds */
export const benchPages = (options: PagesOptions): Promise<boolean> =>
  runBench(options.engine, async (bench) => {
    const bounds: Bound[] = [];
    const parts = { writers: benchWriters, compared: benchCompared, sizes: benchSizes };
    for (const part of options.part) bounds.push(...(await parts[part](bench, options)));
    return bounds;
  });

async function benchWriters({ endpoint, report }: Bench, { small }: PagesOptions): Promise<Bound[]> {
  report('many writers of one tenant');
  const conflicts = new Conflicts();
  return measureContention(await jobTable(endpoint, conflicts), conflicts, small ? 2 : 8);
}

async function benchCompared(bench: Bench, { small, writeDocs }: PagesOptions): Promise<Bound[]> {
  const size = small ? SMALL : FULL;
  const readings = await measurePages(bench.endpoint, comparedCases(size.scale), size, bench.report);
  const table = comparedTable(readings);
  bench.print(`${table}\n`);
  if (writeDocs) await writeFigures('counted-lists.md', 'bench:pages', table);
  const ours = readings.filter(({ of }) => of.way === 'counted list');
  const first = ours[0]?.readUnits ?? 0;
  return ours.flatMap(({ page, readUnits, roundTrips }) => [
    { claim: `read units of page ${page}, against page 1`, measured: readUnits / first, atMost: 1.2 },
    { claim: `round trips of page ${page}`, measured: roundTrips, atMost: page === 1 ? 1 : 2 },
  ]);
}

const SIZES = [100_000, 1_000_000, 10_000_000] as const;
const FULL = { rounds: 9, scale: 1 } as const;
const SMALL = { rounds: 2, scale: 100 } as const;

async function benchSizes({ endpoint, report, print }: Bench, { small, writeDocs }: PagesOptions): Promise<Bound[]> {
  const size = small ? SMALL : FULL;
  const cases = SIZES.flatMap((each) => casesOf(each, size.scale));
  const readings = await measurePages(endpoint, cases, size, report);
  const table = sizeTable(readings);
  print(`${table}\n`);
  if (writeDocs) await writeFigures('counted-lists.md', 'bench:sizes', table);
  return readings.flatMap((reading) => limitBounds(reading, small));
}

/** Limits of units and CPU time are for lists of full size. */
function limitBounds({ of, readUnits, roundTrips, relative, residentMb }: PageReading, isSmall: boolean): Bound[] {
  const limit = LIMITS[of.size]?.[of.name];
  const where = `${number(of.list.length)}: ${of.name}`;
  if (limit === undefined) throw new Error(`no limits of ${where}`);
  return [
    { claim: `round trips, ${where}`, measured: roundTrips, atMost: limit.roundTrips },
    { claim: `resident MB, ${where}`, measured: residentMb, atMost: MOST_RESIDENT_MB },
    ...(isSmall ? [] : [{ claim: `read units, ${where}`, measured: readUnits, atMost: limit.units }]),
    ...(isSmall ? [] : [{ claim: `CPU, ${where}`, measured: relative, atMost: limit.cpu }]),
  ];
}

/**
 * Whether it runs: one page in three of a small list, and of those that are compared. @throws Error when a page is
 * wrong
 */
export async function checkPages(endpoint: string, report: (text: string) => void): Promise<void> {
  const few = { rounds: 1, scale: 100 };
  for (const cases of [casesOf(1_000_000, few.scale), comparedCases(few.scale)]) {
    const some = cases.filter((_, index) => index % 3 === 0);
    await measurePages(endpoint, some, few, report);
  }
}

const number = (value: number, digits = 1): string => value.toLocaleString('en', { maximumFractionDigits: digits });

/** A Markdown table whose columns stand under each other; the first is text, the others are figures. */
function aligned(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`));
  return [line(head), `|${rule.join('|')}|`, ...rows.map(line)].join('\n');
}

const cellOf = (reading: PageReading | undefined): string =>
  reading === undefined
    ? ''
    : `${number(reading.readUnits)}/${reading.roundTrips}/${number(reading.cpu.median, reading.cpu.median < 100 ? 1 : 0)}`;

/** A row for each way, with the pages beside each other. */
function comparedTable(readings: readonly PageReading[]): string {
  const pages = [...new Set(readings.map(({ page }) => page))];
  const rows = Array.from(
    Map.groupBy(readings, ({ of }) => of.way),
    ([way = '', ofWay]) => [way, ...pages.map((page) => cellOf(ofWay.find((reading) => reading.page === page)))],
  );
  return aligned(['read units/round trips/ms of CPU', ...pages.map((page) => `page ${number(page)}`)], rows);
}

/** A row for each page, with the sizes beside each other. */
function sizeTable(readings: readonly PageReading[]): string {
  const lengths = [...new Set(readings.map(({ of }) => of.list.length))];
  const rows = Array.from(
    Map.groupBy(readings, ({ of }) => of.name),
    ([name, ofPage]) => [name, ...lengths.map((length) => cellOf(ofPage.find(({ of }) => of.list.length === length)))],
  );
  return aligned(['read units/round trips/ms of CPU', ...lengths.map((length) => `${number(length)} records`)], rows);
}
