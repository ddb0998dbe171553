import type { APIGatewayProxyEvent } from 'aws-lambda';
import { lambdaContext } from '../../test/support/chain.ts';
import type { ContenderName, OperationName } from './names.ts';
import { type Play, prepare } from './prepare.ts';

/** One contender in a process of its own, so that it is compiled for its own use alone. It plays what it is told to, and says what that cost. */

export interface ContenderSettings {
  readonly name: ContenderName;
  readonly engine: string;
  readonly tableName: string;
}

export interface Turn {
  readonly operation: OperationName;
  readonly requests: number;
  /** File for a CPU profile. */
  readonly profile?: string;
}

/** CPU time of the process for each request, in microseconds. */
export type RequestCost = number;

/** How often each operation calls the table: the first that a process says, when it is ready. */
export type Calls = Readonly<Record<OperationName, number>>;

const opening: ContenderSettings = JSON.parse(process.argv[2] ?? '');
const plays = await prepare(opening.name, opening.engine, opening.tableName);
process.on('message', async ({ operation, requests, profile }: Turn) => {
  const cost =
    profile === undefined
      ? await play(plays[operation], requests)
      : await (await import('../profile.ts')).profiled(profile, () => play(plays[operation], requests));
  process.send?.(cost);
});
process.send?.(Object.fromEntries(Object.entries(plays).map(([operation, { calls }]) => [operation, calls])));

async function play({ handle, event, arrange }: Play, requests: number): Promise<RequestCost> {
  arrange();
  // Lambda has parsed the event before it calls the handler.
  const events = Array.from({ length: requests }, (): APIGatewayProxyEvent => JSON.parse(event));
  const context = lambdaContext();
  const before = process.cpuUsage();
  let status = 0;
  for (const each of events) status = (await handle(each, context)).statusCode;
  const { user, system } = process.cpuUsage(before);
  if (status >= 300) throw new Error(`a replayed request was answered ${status}`);
  return (user + system) / requests;
}
