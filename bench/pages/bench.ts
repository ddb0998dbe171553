import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EngineName, startDynamoDb } from '../../local/dynamodb/embedded.ts';
import type { Table } from '../../shared/table/client.ts';
import { boundsOf, holds } from './bounds.ts';
import { measureCreates } from './creates.ts';
import { writeIntoDocs } from './docs.ts';
import { electro, toolbox } from './libraries.ts';
import { loadDeleted, loadUndeleted } from './lists.ts';
import { checkLoader } from './load.check.ts';
import { Meter } from './meter.ts';
import { plotOf } from './plot.ts';
import { type Reading, readAll } from './reads.ts';
import { createTable, readTable } from './report.ts';
import { freshTable } from './table.ts';
import { counted, walkCount, walkFull, walkKeys, walkTotal } from './ways.ts';

export interface PagesOptions {
  readonly small: boolean;
  readonly plot: boolean;
  readonly writeDocs: boolean;
  readonly engine?: EngineName;
}

const DOCS = join(import.meta.dirname, '../../docs');

/** Loads, reads, creates, reports. @returns whether every bound holds */
export async function benchPages({ small, plot, writeDocs, engine }: PagesOptions): Promise<boolean> {
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine === undefined ? {} : { engine }) });
  try {
    const table = await freshTable(dynamoDb.endpoint);
    const meter = new Meter(table);
    const length = small ? 2_000 : 100_000;
    console.log(`Lists of ${length.toLocaleString('en')} records, pages of 25, on ${dynamoDb.engine}\n`);
    const { readings, reads } = await benchReads(table, meter, length);
    const creates = createTable(await measureCreates(table, meter, small ? 200 : 2_000));
    console.log(`${creates}\n\n${NO_CONFLICTS}\n`);
    if (plot) await writeFile(join(DOCS, 'pages.svg'), plotOf(readings));
    if (writeDocs) await writeIntoDocs(join(DOCS, 'counted-lists.md'), `${reads}\n\n${creates}`);
    return report(readings);
  } finally {
    await dynamoDb.stop();
  }
}

const NO_CONFLICTS = `Conflicts are those the emulator raises, and it never raises TransactionConflict: what DynamoDB does is in docs/counted-lists.md.
The transaction's write units are by AWS's rule (two a KB and item); the emulator reports fewer.`;

async function benchReads(table: Table, meter: Meter, length: number) {
  await checkLoader(table);
  const lists = [...(await loadUndeleted(table, length)), await loadDeleted(table, length)];
  const ways = [counted, walkFull, walkKeys, walkCount, walkTotal, electro, toolbox].map((way) => way(table));
  const readings: Reading[] = [];
  const tables: string[] = [];
  for (const list of lists) {
    const ofList = await readAll(list, ways, meter);
    readings.push(...ofList);
    tables.push(readTable(ofList, new Set(ways.filter(({ total }) => total).map(({ name }) => name))));
    console.log(`${tables.at(-1)}\n`);
  }
  return { readings, reads: tables.join('\n\n') };
}

function report(readings: readonly Reading[]): boolean {
  const bounds = boundsOf(readings);
  for (const bound of bounds) {
    console.log(`${holds(bound) ? 'PASS' : 'FAIL'}  ${bound.value.toFixed(2)} ≤ ${bound.limit}  ${bound.claim}`);
  }
  return bounds.every(holds);
}
