import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '@custodia/counted-lists';
import { withText } from '../../generate/places.ts';
import { type EngineName, startDynamoDb } from '../../local/dynamodb/index.ts';
import { Conflicts } from '../../test/support/conflicts.ts';
import { ProgressReporter } from '../progress-reporter.ts';
import { boundText, holds } from '../statistics.ts';
import { pageBoundHolds, pageBounds } from './bounds.ts';
import { measureContention } from './contention.ts';
import { electro, toolbox } from './libraries.ts';
import { loadDeleted, loadUndeleted } from './lists.ts';
import { checkLoader } from './load.check.ts';
import { Meter } from './meter.ts';
import { plotOf } from './plot.ts';
import { plotOfWrites } from './plot-writes.ts';
import { type PageReading, readAll } from './reads.ts';
import { contentionTable, readTable, tableOfCreates } from './report.ts';
import { FULL, measureSizes, SMALL } from './sizes/measure.ts';
import { sizeBounds, tableOfSizes } from './sizes/report.ts';
import { freshTable } from './table.ts';
import { countedWays, walkCount, walkFull, walkKeys, walkTotal } from './ways.ts';
import { COMBINATIONS, measureCreates, measureWrites } from './writes.ts';

/** What is measured: the usual ways to list and create, and pages of lists up to ten million records. */
export const PARTS = ['ways', 'sizes'] as const;

export interface PagesOptions {
  readonly small: boolean;
  readonly part: readonly (typeof PARTS)[number][];
  readonly plot: boolean;
  readonly writeDocs: boolean;
  readonly engine?: EngineName;
}

const DOCS = join(import.meta.dirname, '../../docs');

/** Loads, reads, creates, reports. @returns whether every bound holds */
export async function benchPages(options: PagesOptions): Promise<boolean> {
  const { part, engine } = options;
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine === undefined ? {} : { engine }) });
  const reporter = new ProgressReporter();
  try {
    reporter.print(`Pages of 25, on ${dynamoDb.engine}\n`);
    const waysHold = !part.includes('ways') || (await benchWays(dynamoDb.endpoint, options, reporter));
    const sizesHold = !part.includes('sizes') || (await benchSizes(dynamoDb.endpoint, options, reporter));
    return waysHold && sizesHold;
  } finally {
    reporter.stop();
    await dynamoDb.stop();
  }
}

/** Counted lists against the usual ways. */
async function benchWays(
  endpoint: string,
  { small, plot, writeDocs }: PagesOptions,
  reporter: ProgressReporter,
): Promise<boolean> {
  const length = small ? 2_000 : 100_000;
  reporter.print(`Lists of ${length.toLocaleString('en')} records\n`);
  const { writings, contentions, creates, contended } = await benchWrites(endpoint, small ? 128 : 512, reporter);
  reporter.print(`${creates}\n\n${contended}\n`);
  const { readings, reads } = await benchReads(endpoint, length, reporter);
  if (plot) {
    await writeFile(join(DOCS, 'pages.svg'), plotOf(readings));
    await writeFile(join(DOCS, 'write-units.svg'), plotOfWrites(writings));
  }
  // Of the lists the first two, which all ways read; the others are bounded below.
  if (writeDocs) await writePlace('bench:pages', [...reads.slice(0, 2), creates].join('\n\n'));
  const bounds = pageBounds({ readings, writings, contentions });
  for (const bound of bounds) {
    reporter.print(
      `${pageBoundHolds(bound) ? 'PASS' : 'FAIL'}  ${bound.value.toFixed(2)} ≤ ${bound.limit}  ${bound.claim}`,
    );
  }
  return bounds.length > 0 && bounds.every(pageBoundHolds);
}

/** Lists up to ten million records, which are made directly in storage. */
async function benchSizes(
  endpoint: string,
  { small, writeDocs }: PagesOptions,
  reporter: ProgressReporter,
): Promise<boolean> {
  const readings = await measureSizes(endpoint, small ? SMALL : FULL, reporter.report);
  const table = tableOfSizes(readings);
  reporter.print(`${table}\n`);
  if (writeDocs) await writePlace('bench:sizes', table);
  const bounds = sizeBounds(readings, !small);
  for (const bound of bounds) reporter.print(boundText(bound));
  return bounds.length > 0 && bounds.every(holds);
}

async function writePlace(name: string, text: string): Promise<void> {
  const page = join(DOCS, 'counted-lists.md');
  await writeFile(page, withText(await readFile(page, 'utf8'), name, text));
}

async function benchWrites(endpoint: string, count: number, { report }: ProgressReporter) {
  const conflicts = new Conflicts();
  const table = await freshTable(endpoint, conflicts, COMBINATIONS);
  const meter = new Meter(table);
  const writings = await measureWrites(table, meter);
  const creatings = await measureCreates(table, meter, conflicts, count, report);
  report('many writers of one tenant');
  const contentions = await measureContention(table, conflicts, count / 64);
  return { writings, contentions, creates: tableOfCreates(creatings), contended: contentionTable(contentions) };
}

/** Reads pages of lists of `length` records, a multiple of 40, and checks that all ways give the same records. */
export async function benchReads(
  endpoint: string,
  length: number,
  reporter: Pick<ProgressReporter, 'report' | 'print'>,
  times?: number,
) {
  const table: Table = await freshTable(endpoint, new Conflicts({ milliseconds: 0 }), 1);
  const meter = new Meter(table);
  reporter.report('loading lists');
  await checkLoader(table);
  const lists = [...(await loadUndeleted(table, length)), await loadDeleted(table, length)];
  const peers = [walkFull, walkKeys, walkCount, walkTotal].map((way) => way(table));
  const libraries = [electro, toolbox].flatMap((way) => [way(table, false), way(table, true)]);
  const readings: PageReading[] = [];
  const tables: string[] = [];
  for (const list of lists) {
    const ways = [...countedWays(table, list), ...(list.partition === undefined ? [] : [...peers, ...libraries])];
    const ofList = await readAll(list, ways, meter, reporter.report, times);
    readings.push(...ofList);
    tables.push(readTable(ofList));
    reporter.print(`${tables.at(-1)}\n`);
  }
  return { readings, reads: tables };
}
