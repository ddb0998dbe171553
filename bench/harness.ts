import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDynamoDb } from '#local-dynamodb';
import { withText } from '../generate/places.ts';
import type { EngineName } from '../local/dynamodb/engine.ts';
import { reportProgress } from '../local/terminal/progress.ts';
import { type Bound, boundText, holds } from './bounds.ts';

/** What a benchmark gets: a DynamoDB in memory, and a terminal. */
export interface Bench {
  readonly endpoint: string;
  readonly engine: EngineName;
  /** Shows what is being measured. */
  readonly report: (text: string) => void;
  readonly print: (text: string) => void;
}

/**
 * Runs a benchmark and prints its bounds.
 * @returns whether there are bounds and all of them hold
 *
 * @example
 * await runBench('dynoxide', async ({ endpoint, report }) => boundsOf(await measure(endpoint, report)));
 */
export async function runBench(
  engine: EngineName | undefined,
  measure: (bench: Bench) => Promise<readonly Bound[]>,
): Promise<boolean> {
  const { report, clear, stop } = reportProgress('starting');
  await using started = new AsyncDisposableStack();
  started.defer(stop);
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine === undefined ? {} : { engine }) });
  started.defer(() => dynamoDb.stop());
  const print = (text: string): void => {
    clear();
    console.log(text);
  };
  const bounds = await measure({ endpoint: dynamoDb.endpoint, engine: dynamoDb.engine, report, print });
  for (const bound of bounds) print(boundText(bound));
  return bounds.length > 0 && bounds.every(holds);
}

/** Puts figures into a page of `docs/`, at the place with this name. */
export async function writeFigures(page: string, place: string, text: string): Promise<void> {
  const file = join(import.meta.dirname, '../docs', page);
  await writeFile(file, withText(await readFile(file, 'utf8'), place, text));
}
