import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Table } from '@custodia/counted-lists';
import { build } from 'esbuild';
import { writeItems } from '../../../generate/write-items.ts';
import { Conflicts } from '../../../test/support/conflicts.ts';
import { type Spread, spreadOf } from '../../statistics.ts';
import { freshTable } from '../table.ts';
import { compactList } from './compact.ts';
import { casesOf, expectedPage, requestOf, type SizedCase } from './lists.ts';
import { loadEntries, loadRecords, loadSets, setItems } from './load.ts';
import type { ReaderReport, ReaderTask } from './reader.ts';

/** Pages of long lists that are made directly in storage. */

export interface SizedReading {
  /** By which its limits are found. */
  readonly size: number;
  readonly length: number;
  readonly name: string;
  readonly readUnits: number;
  readonly roundTrips: number;
  /** In milliseconds. */
  readonly cpu: Spread;
  /** CPU time, in that of the yardstick. */
  readonly relative: Spread;
  readonly residentMb: number;
}

interface SizedOptions {
  readonly sizes: readonly number[];
  /** Divides the sizes. */
  readonly scale: number;
  readonly rounds: number;
  /** Of so many pages one is read. */
  readonly oneIn: number;
}

/** Lists up to ten million records. */
export const FULL: SizedOptions = { sizes: [100_000, 1_000_000, 10_000_000], scale: 1, rounds: 9, oneIn: 1 };
export const SMALL: SizedOptions = { ...FULL, scale: 100, rounds: 2 };
/** Whether it runs: each page takes a process. */
export const LEAST: SizedOptions = { sizes: [1_000_000], scale: 100, rounds: 1, oneIn: 3 };

const YARDSTICK = { partition: 'YARDSTICK', length: 1_000_000 } as const;

/** @throws Error when a page is wrong */
export async function measureSizes(
  endpoint: string,
  { sizes, scale, rounds, oneIn }: SizedOptions,
  report: (text: string) => void,
): Promise<SizedReading[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-pages-'));
  const reader = await bundleReader(directory.path);
  const table = await freshTable(endpoint, new Conflicts({ milliseconds: 0 }), 0);
  await writeItems(
    table,
    setItems(YARDSTICK.partition, YARDSTICK.length / scale, (number) => number % 3 > 0),
  );
  const readings: SizedReading[] = [];
  for (const size of sizes) {
    const cases = casesOf(size, scale).filter((_, index) => index % oneIn === 0);
    for (const list of new Set(cases.map((each) => each.list))) {
      report(`writing the sets of ${list.org}`);
      await loadSets(table, list);
      await loadEntries(
        table,
        list,
        cases.filter((each) => each.list === list),
      );
      if (list.isCompacted) await compactList(table, list);
    }
    for (const each of cases) {
      report(`reading ${size.toLocaleString('en')} records: ${each.name}`);
      const measured = await readInProcess(reader, { endpoint, rounds, each, table });
      readings.push({ size, length: each.list.length, name: each.name, ...measured });
    }
  }
  return readings;
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
  await build({ entryPoints, outfile, bundle: true, target: 'node24', platform: 'node', format: 'esm', banner });
  return outfile;
}

interface Reading {
  readonly endpoint: string;
  readonly table: Table;
  readonly rounds: number;
  readonly each: SizedCase;
}

async function readInProcess(
  reader: string,
  { endpoint, table, rounds, each }: Reading,
): Promise<Omit<SizedReading, 'size' | 'length' | 'name'>> {
  const { list } = each;
  const expected = expectedPage(each);
  await loadRecords(table, list, expected.numbers);
  const yardstick = YARDSTICK.partition;
  const task: ReaderTask = {
    endpoint,
    table: table.name,
    org: list.org,
    kind: list.kind,
    request: requestOf(each),
    expected,
    yardstick,
    rounds,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, reader, JSON.stringify(task)]);
  const done: ReaderReport = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  const { readUnits, roundTrips, residentMb } = done;
  const relative = done.cpu.map((milliseconds, round) => milliseconds / (done.yardstick[round] ?? Number.NaN));
  return { readUnits, roundTrips, residentMb, cpu: spreadOf(done.cpu), relative: spreadOf(relative) };
}
