import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { lambdaContext } from '../../test/support/lambda-context.ts';
import { cpuOf } from '../statistics.ts';
import { CannedHandler } from './canned.ts';
import { type Handle, type HandlerOf, renewToken, type Setting } from './contenders.ts';
import { CALLS_OF, type ContenderName, isRaw, OPERATION_NAMES, type OperationName, type RawName } from './names.ts';
import { checkResponse, eventOf, OPERATIONS, type Request, SEEDED_CLIENTS } from './operations.ts';

/**
 * One contender in its own process, so that it is compiled only for its own use. It creates its records in a table of
 * the engine, runs every operation once, checks and records the responses, and then plays the requested operations
 * without the engine.
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

/** Calls of the table of each operation: the first message of a process, when it is ready. */
export type Calls = Readonly<Record<OperationName, number>>;

/** An operation that can be played any number of times. */
interface Play {
  readonly handle: Handle;
  /** The request's event, as JSON. */
  readonly event: string;
  readonly calls: number;
  /** Has the table return the recorded responses. */
  readonly arrange: () => void;
}

const opening: ContenderSettings = JSON.parse(process.argv[2] ?? '');
const plays = await prepare(opening);
process.on('message', async ({ operation, requests, profile }: Turn) => {
  const playing = () => play(plays[operation], requests);
  const cost = profile === undefined ? playing() : (await import('../profile.ts')).profiled(profile, playing);
  process.send?.(await cost);
});
process.send?.(Object.fromEntries(Object.entries(plays).map(([operation, { calls }]) => [operation, calls])));

/** @returns CPU time of the process for each request, in microseconds */
async function play({ handle, event: json, arrange }: Play, requests: number): Promise<number> {
  arrange();
  // Lambda has parsed the event before it calls the handler.
  const events = Array.from({ length: requests }, (): APIGatewayProxyEvent => JSON.parse(json));
  for (const each of events) renewToken(each);
  const context = lambdaContext();
  let status = 0;
  const cpu = await cpuOf(async () => {
    // An event lives as long as its request, as in Lambda: middlewares attach objects to it.
    for (let event = events.pop(); event !== undefined; event = events.pop())
      status = (await handle(event, context)).statusCode;
  });
  if (status >= 300) throw new Error(`a replayed request was answered ${status}`);
  return (cpu * 1_000) / requests;
}

async function prepare({ name, engine, tableName }: ContenderSettings): Promise<Readonly<Record<OperationName, Play>>> {
  const requestHandler = new CannedHandler(engine);
  const functions = await openContender(isRaw(name) ? CALLS_OF[name] : name, { requestHandler, tableName });
  const clientId = await seed(functions);
  const prepared: Partial<Record<OperationName, Play>> = {};
  for (const operation of OPERATION_NAMES) {
    const request = OPERATIONS[operation];
    const event = eventOf(request, clientId);
    const own = functions(request.route);
    let handle = own;
    const send = async () => checkResponse(operation, await own(JSON.parse(event), lambdaContext()));
    const calls = await requestHandler.record(async () => {
      if (isRaw(name)) handle = rawHandle(name, requestHandler, await commandsSentBy(name, send));
      else await send();
    });
    prepared[operation] = { handle, event, calls: calls.length, arrange: () => requestHandler.replay(calls) };
  }
  return prepared as Readonly<Record<OperationName, Play>>;
}

/** Makes a contender. Its modules are loaded here, so that no process loads those of another contender. */
async function openContender(name: Exclude<ContenderName, RawName>, setting: Setting): Promise<HandlerOf> {
  if (name === 'ours') return (await import('./ours.ts')).ours(setting);
  const { requestHandler, tableName } = setting;
  return (await import('../peer/middy.ts')).middyPeer({ requestHandler }, tableName);
}

/** Creates the records; returns the id of a client. */
async function seed(functions: HandlerOf): Promise<string> {
  const create = async (request: Request): Promise<string> => {
    const { statusCode, body } = await functions(request.route)(JSON.parse(eventOf(request)), lambdaContext());
    if (statusCode !== 201) throw new Error(`${request.route.path} answered ${statusCode} ${body}`);
    return JSON.parse(body).id as string;
  };
  const ids: string[] = [];
  for (const request of SEEDED_CLIENTS) ids.push(await create(request));
  return ids[0] ?? '';
}

type Command = Parameters<DynamoDBDocumentClient['send']>[0];

/**
 * The commands sent to the table, by round trip: those of a round trip were sent before the first of them got its
 * response.
 */
type RoundTrips = readonly (readonly Command[])[];

/** Calls functions that a raw contender stands for, and returns the commands that they sent. */
async function commandsSentBy(name: RawName, work: () => Promise<unknown>): Promise<RoundTrips> {
  // Our client has a `send` of its own, a peer's is the SDK's.
  const client =
    name === 'raw'
      ? (await import('../../shared/table/index.ts')).environmentTable().client
      : DynamoDBDocumentClient.prototype;
  const { send } = client;
  const sent: { readonly roundTrip: number; readonly command: Command }[] = [];
  let endedRoundTrip = 0;
  async function recorded(this: unknown, command: Command): Promise<unknown> {
    const roundTrip = endedRoundTrip + 1;
    sent.push({ roundTrip, command });
    const response: unknown = await (send as (sent: Command) => Promise<unknown>).call(this, command);
    endedRoundTrip = Math.max(endedRoundTrip, roundTrip);
    return response;
  }
  client.send = recorded as typeof send;
  await work();
  client.send = send;
  return [...Map.groupBy(sent, ({ roundTrip }) => roundTrip).values()].map((of) => of.map(({ command }) => command));
}

/** Sends these commands by a document client with default settings, and neither reads nor checks the responses. */
function rawHandle(name: RawName, requestHandler: CannedHandler, roundTrips: RoundTrips): Handle {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler }));
  // What our client adds to every input.
  const added = name === 'raw' ? { ReturnConsumedCapacity: 'TOTAL' } : {};
  const copyOf = (command: Command): Command => {
    const Kind = command.constructor as new (input: Command['input']) => Command;
    return new Kind({ ...command.input, ...added } as Command['input']);
  };
  return async () => {
    for (const commands of roundTrips) await Promise.all(commands.map((command) => client.send(copyOf(command))));
    return { statusCode: 200, body: '' };
  };
}
