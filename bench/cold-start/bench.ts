import { type EngineName, startDynamoDb } from '../../local/dynamodb/embedded.ts';
import { writePerformance } from '../docs.ts';
import { boundText, holds, inTurns } from '../statistics.ts';
import { Teller } from '../teller.ts';
import type { Launched } from './launcher.ts';
import { boundsOf, coldStartTable, comparedWith, plotOfColdStarts, type Started } from './report.ts';
import { type PreparedStack, prepareStack } from './stack.ts';

export interface ColdStartOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  readonly engine?: EngineName;
}

/** Starts of each function. */
const ROUNDS = { small: 5, usual: 21 } as const;

/** Measures what cold starts take. @returns whether every bound holds */
export async function benchColdStart({ small, writeDocs, engine }: ColdStartOptions): Promise<boolean> {
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine === undefined ? {} : { engine }) });
  const teller = new Teller();
  try {
    await using stack = await prepareStack(dynamoDb.endpoint, teller.tell);
    const starts = comparedWith(await startAll(stack, small ? ROUNDS.small : ROUNDS.usual, teller.tell));
    const table = coldStartTable(starts);
    teller.print(`${table}\n`);
    if (writeDocs) await writePerformance('cold-start', table, plotOfColdStarts(starts));
    const bounds = boundsOf(starts);
    for (const bound of bounds) teller.print(boundText(bound));
    return bounds.every(holds);
  } finally {
    teller.stop();
    await dynamoDb.stop();
  }
}

/** @throws Error when a start asked for something that was not recorded */
async function startAll(
  { functions, server }: PreparedStack,
  rounds: number,
  tell: (text: string) => void,
): Promise<Started[]> {
  const launched = new Map(functions.map((each) => [each, [] as Launched[]]));
  for (const [round, turns] of inTurns(functions, rounds).entries()) {
    tell(`round ${round + 1} of ${rounds}`);
    for (const each of turns) launched.get(each)?.push(await each.start());
  }
  if (server.unknown.length > 0) throw new Error(`nothing was recorded for ${server.unknown.join('\n')}`);
  return functions.map((each) => ({ ...each, launched: launched.get(each) ?? [] }));
}
