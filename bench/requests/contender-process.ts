import type { APIGatewayProxyEvent } from 'aws-lambda';
import { lambdaContext } from '../../test/support/lambda-context.ts';
import { renewToken } from './clock.ts';
import type { ContenderName, OperationName } from './names.ts';
import { type Play, prepare } from './prepare.ts';

/**
 * One contender in its own process, so that it is compiled only for its own use. It plays the requested operations and
 * reports their cost.
 */

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

/** Calls of the table of each operation: the first message of a process, when it is ready. */
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

async function play({ handle, event: json, arrange }: Play, requests: number): Promise<RequestCost> {
  arrange();
  // Lambda has parsed the event before it calls the handler.
  const events = Array.from({ length: requests }, (): APIGatewayProxyEvent => JSON.parse(json));
  for (const each of events) renewToken(each);
  const context = lambdaContext();
  const before = process.cpuUsage();
  let status = 0;
  // An event lives as long as its request, as in Lambda: what the middlewares attach to it would survive garbage collections.
  for (let event = events.pop(); event !== undefined; event = events.pop())
    status = (await handle(event, context)).statusCode;
  const { user, system } = process.cpuUsage(before);
  if (status >= 300) throw new Error(`a replayed request was answered ${status}`);
  return (user + system) / requests;
}
