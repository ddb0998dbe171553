import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Table } from '@custodia/counted-lists';
import { build } from 'esbuild';
import { Conflicts } from '../../test/support/conflicts.ts';
import { jobTable } from '../../test/support/jobs.ts';
import { writeItems } from '../../test/support/write-items.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { expectedPage, requestOf, type SizedCase, type SizedList } from './lists.ts';
import { compactList, loadAll, loadEntries, loadRecords, loadSets, partitionOf, setItems } from './load.ts';
import type { ReaderReport, ReaderTask } from './reader.ts';

/** A page that was read. */
export interface PageReading {
  readonly of: SizedCase;
  readonly page: number;
  readonly readUnits: number;
  readonly roundTrips: number;
  /** In milliseconds. */
  readonly cpu: Spread;
  /** CPU time, divided by that of the yardstick. */
  readonly relative: Spread;
  readonly residentMb: number;
}

const YARDSTICK = { partition: 'YARDSTICK', length: 1_000_000 } as const;

/**
 * Writes the lists of these pages to a new table, and reads each page in a process of its own.
 * @param scale the yardstick is divided by it
 * @throws Error when a page is wrong
 */
export async function measurePages(
  endpoint: string,
  cases: readonly SizedCase[],
  { rounds, scale }: { readonly rounds: number; readonly scale: number },
  report: (text: string) => void,
): Promise<PageReading[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-pages-'));
  const reader = await bundleReader(directory.path);
  const table = await jobTable(endpoint, new Conflicts({ milliseconds: 0 }), `pages-${cases[0]?.list.org}`);
  await writeItems(
    table,
    setItems(YARDSTICK.partition, YARDSTICK.length / scale, (number) => number % 3 > 0),
  );
  const written = new Set<SizedList>();
  const readings: PageReading[] = [];
  for (const each of cases) {
    const { list, size, name, way } = each;
    if (!written.has(list)) {
      report(`writing ${list.org}`);
      const ofList = cases.filter((other) => other.list === list);
      await writeList(table, list, ofList);
      written.add(list);
    }
    report(`reading ${size.toLocaleString('en')} records: ${name} ${way ?? ''}`);
    readings.push(await readInProcess(reader, { endpoint, table, rounds, each }));
  }
  return readings;
}

async function writeList(table: Table, list: SizedList, cases: readonly SizedCase[]): Promise<void> {
  await loadSets(table, list);
  await loadEntries(table, list, cases);
  if (list.isCompacted) await compactList(table, list);
  if (cases.some(({ way }) => way !== undefined)) await loadAll(table, list);
}

/**
 * The flags with which Lambda's runtime starts Node with 1,024 MB (`/var/runtime/bootstrap` of its image): half a tenth
 * is a semi-space, a tenth is kept from the old generation.
 */
const FLAGS = ['--max-semi-space-size=51', '--max-old-space-size=922'];

async function bundleReader(directory: string): Promise<string> {
  const outfile = join(directory, 'reader.mjs');
  const entryPoints = [join(import.meta.dirname, 'reader.ts')];
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({
    ...{ entryPoints, outfile, banner },
    ...{ bundle: true, target: 'node24', platform: 'node', format: 'esm' },
  });
  return outfile;
}

interface Reading {
  readonly endpoint: string;
  readonly table: Table;
  readonly rounds: number;
  readonly each: SizedCase;
}

async function readInProcess(reader: string, { endpoint, table, rounds, each }: Reading): Promise<PageReading> {
  const { list, way = 'counted list' } = each;
  const expected = expectedPage(each);
  await loadRecords(table, list, expected.numbers);
  const task: ReaderTask = {
    ...{ endpoint, table: table.name, org: list.org, kind: list.kind, partition: partitionOf(list) },
    ...{ way, request: requestOf(each), expected, yardstick: YARDSTICK.partition, rounds },
  };
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, reader, JSON.stringify(task)]);
  const done: ReaderReport = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  const { readUnits, roundTrips, residentMb } = done;
  const relative = spreadOf(done.cpu.map((milliseconds, round) => milliseconds / (done.yardstick[round] ?? NaN)));
  return { of: each, page: expected.page, readUnits, roundTrips, residentMb, cpu: spreadOf(done.cpu), relative };
}
