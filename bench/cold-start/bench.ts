import { join } from 'node:path';
import { createTable, type EngineName, localDynamoDbClient, startDynamoDb } from '../../local/dynamodb/index.ts';
import { deploy, type RunningStack } from '../../test/infra/account/deploy.ts';
import { writePerformance } from '../docs.ts';
import { mappedSources, profileText } from '../profile.ts';
import { ProgressReporter } from '../progress-reporter.ts';
import { boundText, holds, inTurns } from '../statistics.ts';
import type { Launched } from './launcher.ts';
import { coldStartBounds, coldStartTable, comparedWith, isShown, plotOfColdStarts, type Started } from './report.ts';
import { BARE, type Prepared, type PreparedStarts, prepareStarts, TRIMMED } from './stack.ts';

export interface ColdStartOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  /** Names of functions; default: all. The bare SDK is always measured. */
  readonly function?: readonly string[];
  /** Directory for CPU profiles, instead of measuring. */
  readonly profile?: string;
  readonly engine?: EngineName;
}

/** Starts of each function. */
const ROUNDS = { small: 5, usual: 21 } as const;

/** Measures cold starts. @returns whether every bound holds */
export async function benchColdStart(options: ColdStartOptions): Promise<boolean> {
  const { small, writeDocs, engine, profile, function: names } = options;
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine === undefined ? {} : { engine }) });
  const reporter = new ProgressReporter();
  try {
    reporter.report('synthesizing the stack');
    await using deployed = new AsyncDisposableStack();
    const stack = await deploy({ firstKey: 'true' }, () => tableIn(dynamoDb.endpoint));
    deployed.defer(() => stack.close());
    await using prepared = await prepareStarts(stack, reporter.report);
    if (profile !== undefined) return await profileStarts(prepared, names, profile, reporter);
    const asked = isAsked(names);
    const starts = comparedWith(await startAll(prepared, asked, small ? ROUNDS.small : ROUNDS.usual, reporter.report));
    const table = coldStartTable(starts);
    reporter.print(`${table}\n`);
    if (writeDocs)
      await writePerformance('cold-start', coldStartTable(starts.filter(isShown)), plotOfColdStarts(starts));
    const bounds = coldStartBounds(starts);
    for (const bound of bounds) reporter.print(boundText(bound));
    return bounds.every(holds);
  } finally {
    reporter.stop();
    await dynamoDb.stop();
  }
}

async function tableIn(endpoint: string): Promise<RunningStack['table']> {
  const client = localDynamoDbClient(endpoint);
  await createTable(client, TABLE);
  return { client, tableName: TABLE, endpoint };
}

const TABLE = 'cold-start';

const isAsked =
  (names: readonly string[] | undefined) =>
  ({ name }: Prepared): boolean =>
    names === undefined || name === BARE || name === TRIMMED || names.includes(name);

/** Bundled code has short names, and positions by its source maps. */
async function profileStarts(
  { functions }: PreparedStarts,
  names: readonly string[] | undefined,
  directory: string,
  reporter: ProgressReporter,
) {
  for (const { name, maps, start } of functions) {
    if (names !== undefined && !names.includes(name)) continue;
    const file = `${name.replaceAll(/\W+/g, '-')}.cpuprofile`;
    await start(['--cpu-prof', `--cpu-prof-dir=${directory}`, `--cpu-prof-name=${file}`, '--cpu-prof-interval=100']);
    const text = await profileText(join(directory, file), 1, maps === undefined ? undefined : mappedSources(maps));
    reporter.print(`## ${name}: ${join(directory, file)}\n\n${text}\n`);
  }
  return true;
}

async function startAll(
  { functions: all }: PreparedStarts,
  asked: (prepared: Prepared) => boolean,
  rounds: number,
  report: (text: string) => void,
): Promise<Started[]> {
  const functions = all.filter(asked);
  const launched = new Map(functions.map((each) => [each, [] as Launched[]]));
  for (const [round, turns] of inTurns(functions, rounds).entries()) {
    report(`round ${round + 1} of ${rounds}`);
    for (const each of turns) launched.get(each)?.push(await each.start());
  }
  return functions.map((each) => ({ ...each, launched: launched.get(each) ?? [] }));
}
