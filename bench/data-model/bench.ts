import { join } from 'node:path';
import type { EngineName } from '../../local/dynamodb/embedded.ts';
import { writeIntoDocs } from '../pages/docs.ts';
import { boundTable, checksOf, holds } from './bounds.ts';
import { filterTable } from './filters.ts';
import { markdown } from './markdown.ts';
import { measureOperations } from './measure.ts';
import { type Played, readUnitsOf, roundsOf, writeUnitsOf } from './play.ts';
import { counted, wordsOf } from './words.ts';

const DOCS = join(import.meta.dirname, '../../docs/data-model.md');

interface DataModelOptions {
  readonly writeDocs: boolean;
  readonly engine: EngineName;
}

/**
 * Plays every operation against the local API and prints what it asks of the table, what that costs, and what it may cost.
 * @returns whether every bound holds
 */
export async function benchDataModel({ writeDocs, engine }: DataModelOptions): Promise<boolean> {
  const measured = await measureOperations(engine);
  const patterns = patternTable(measured.operations);
  const filters = await filterTable();
  const checks = checksOf(measured);
  const bounds = boundTable(checks);
  console.log(`${patterns}\n\n${filters}\n\n${bounds}\n`);
  for (const { title } of checks.filter((check) => !holds(check))) console.log(`FAIL  ${title}`);
  if (writeDocs) {
    await writeIntoDocs(DOCS, patterns, 'bench:data-model');
    await writeIntoDocs(DOCS, filters, 'bench:filters');
    await writeIntoDocs(DOCS, bounds, 'bench:bounds');
  }
  return checks.every(holds);
}

const patternTable = (played: readonly Played[]): string =>
  markdown(
    ['endpoint', 'calls, by round', 'rounds', 'read units', 'write units'],
    played.map(({ title, calls }) => [
      `\`${title}\``,
      roundsOf(calls)
        .map((round, index) => `**${index + 1}** ${counted(round.map(wordsOf).sort())}`)
        .join('<br>'),
      String(roundsOf(calls).length),
      String(readUnitsOf(calls)),
      String(writeUnitsOf(calls)),
    ]),
  );
