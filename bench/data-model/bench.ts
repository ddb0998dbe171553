import { join } from 'node:path';
import { type EngineName, startDynamoDb } from '../../local/dynamodb/embedded.ts';
import { IN_MEMORY } from '../../local/settings.ts';
import { startLocalApi } from '../../local/start.ts';
import { environmentTable } from '../../shared/table/client.ts';
import { callersAt } from '../../test/support/api.ts';
import { writeIntoDocs } from '../pages/docs.ts';
import { filterTable } from './filters.ts';
import { markdown } from './markdown.ts';
import { type Played, playAll } from './play.ts';
import { type Call, Recorder } from './recorder.ts';
import { counted, wordsOf } from './words.ts';

const DOCS = join(import.meta.dirname, '../../docs/data-model.md');

interface DataModelOptions {
  readonly writeDocs: boolean;
  readonly engine: EngineName;
}

/** Plays every operation against the local API and prints what it asks of the table and what that costs. */
export async function benchDataModel({ writeDocs, engine }: DataModelOptions): Promise<void> {
  const dynamoDb = await startDynamoDb({ dataDir: IN_MEMORY, engine });
  await using started = new AsyncDisposableStack();
  started.defer(dynamoDb.stop);
  const settings = { port: 0, host: '127.0.0.1', dataDir: IN_MEMORY, platformSecret: undefined };
  const local = await startLocalApi({ ...settings, dynamoDbEndpoint: dynamoDb.endpoint });
  started.defer(local.close);

  const api = callersAt(local.url, local.platform);
  const recorder = new Recorder(environmentTable());
  const patterns = patternTable(await playAll(api, await api.orgToken(), recorder));
  const filters = await filterTable();
  console.log(`${patterns}\n\n${filters}`);
  if (!writeDocs) return;
  await writeIntoDocs(DOCS, patterns, 'bench:data-model');
  await writeIntoDocs(DOCS, filters, 'bench:filters');
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
      unitsOf(calls.map(({ readUnits }) => readUnits)),
      unitsOf(calls.map(({ writeUnits }) => writeUnits)),
    ]),
  );

const roundsOf = (calls: readonly Call[]): Call[][] => [...Map.groupBy(calls, ({ round }) => round).values()];

const unitsOf = (units: readonly number[]): string => String(units.reduce((sum, unit) => sum + unit, 0));
