import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTable, localConnection } from '#local-dynamodb';
import { markdown } from '../../generate/markdown.ts';
import type { EngineName } from '../../local/dynamodb/engine.ts';
import { deploy, type RunningStack } from '../../test/infra/account/deploy.ts';
import type { Bound } from '../bounds.ts';
import { type ColdStart, weightedMs } from '../cpu-share.ts';
import { runBench, writeFigures } from '../harness.ts';
import { inTurns, median, type Spread, spreadOf, spreadText } from '../statistics.ts';
import { BARE, type Prepared, prepareStarts, TRIMMED } from './stack.ts';

interface ColdStartOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  /** Names of functions; default: all. The bare SDK is always measured. */
  readonly function?: readonly string[];
  readonly engine?: EngineName;
}

/** Starts of each function. */
const ROUNDS = { small: 5, usual: 21 } as const;

/** A function with all its starts. */
interface Started extends Prepared {
  readonly starts: readonly ColdStart[];
}

/** Measures cold starts. @returns whether every bound holds */
export const benchColdStart = ({ small, writeDocs, engine, function: names }: ColdStartOptions): Promise<boolean> =>
  runBench(engine, async ({ endpoint, report, print }) => {
    report('synthesizing the stack');
    await using deployed = new AsyncDisposableStack();
    const stack = await deploy({ firstKey: 'true' }, () => tableIn(endpoint));
    deployed.defer(() => stack.close());
    await using prepared = await prepareStarts(stack, report, names);
    const starts = comparedWith(await startAll(prepared.functions, small ? ROUNDS.small : ROUNDS.usual, report));
    const table = coldStartTable(starts);
    print(`${table}\n`);
    if (writeDocs) await writeFigures('performance.md', 'bench:cold-start', coldStartTable(starts.filter(isShown)));
    return coldStartBounds(starts);
  });

const TABLE = 'cold-start';

async function tableIn(endpoint: string): Promise<RunningStack['table']> {
  const client = new DynamoDBClient(localConnection(endpoint));
  await createTable(endpoint, TABLE);
  return { client, tableName: TABLE, endpoint };
}

const isOurs = ({ name }: Pick<Prepared, 'name'>): boolean => name !== BARE && name !== TRIMMED;

async function startAll(
  functions: readonly Prepared[],
  rounds: number,
  report: (text: string) => void,
): Promise<Started[]> {
  const starts = new Map(functions.map((each) => [each, [] as ColdStart[]]));
  for (const [round, turns] of inTurns(functions, rounds).entries()) {
    report(`round ${round + 1} of ${rounds}`);
    for (const each of turns) {
      const { loaded, responded } = await each.start();
      starts.get(each)?.push({ importMs: loaded.cpu, requestMs: responded.cpu - loaded.cpu });
    }
  }
  return functions.map((each) => ({ ...each, starts: starts.get(each) ?? [] }));
}

/** A function that is compared with the bare SDK. */
interface ComparedStart extends Started {
  /** CPU time until the first response, divided by the bare SDK's median, by the CPU of each of {@link MEMORIES}. */
  readonly weighted: readonly Spread[];
}

/** In MB: what a stage gives a function unless it says otherwise, and half of it. */
const MEMORIES = [1_024, 512] as const;

/** The bound of a cold start, divided by the bare SDK's, at 1,024 MB; at 512 MB it is a quarter more. */
const AT_MOST = 0.75;
/** The bounds of functions whose first request is no read. Some find out themselves who calls, and write records. */
const AT_MOST_OF: Readonly<Record<string, number>> = { auth: 0.85, logs: 0.9, alerts: 1.3, batch: 1.3, webhooks: 1.3 };

/** @throws Error where the bare SDK was not started */
function comparedWith(all: readonly Started[]): ComparedStart[] {
  const bare = all.find(({ name }) => name === BARE);
  if (bare === undefined) throw new Error('the bare SDK was not started');
  const weightedRatio = ({ starts }: Started, memory: number): Spread => {
    const whole = median(bare.starts.map((each) => weightedMs(each, memory)));
    return spreadOf(starts.map((each) => weightedMs(each, memory) / whole));
  };
  return all.map((each) => ({ ...each, weighted: MEMORIES.map((memory) => weightedRatio(each, memory)) }));
}

/** Reads of one record are alike: the page has those of clients. */
const isShown = ({ name, title }: Prepared): boolean => name === 'clients' || !/^GET .*\/\{id\}$/.test(title);

const coldStartBounds = (starts: readonly ComparedStart[]): Bound[] =>
  starts.filter(isOurs).flatMap(({ name, weighted }) =>
    weighted.map((measured, index) => ({
      claim: `${name}, weighted CPU time at ${MEMORIES[index]} MB against the bare SDK`,
      measured,
      atMost: (AT_MOST_OF[name] ?? AT_MOST) * (index === 0 ? 1 : 1.25),
    })),
  );

const coldStartTable = (compared: readonly ComparedStart[]): string =>
  markdown({
    head: [
      'function',
      'first request',
      'calls of AWS',
      'KB at start',
      'modules',
      'import, ms CPU',
      'first request, ms CPU',
      ...MEMORIES.map((memory) => `at ${memory.toLocaleString('en')} MB ÷ bare SDK`),
    ],
    rows: compared.map(({ name, title, calls, size, starts, weighted }) => [
      name,
      title.replace(/^\w+ \/.*/, '`$&`'),
      String(calls),
      String(size?.kilobytes ?? ''),
      String(size?.modules ?? ''),
      ...(['importMs', 'requestMs'] as const).map((part) => median(starts.map((each) => each[part])).toFixed(0)),
      ...weighted.map((spread) => spreadText(spread)),
    ]),
  });
