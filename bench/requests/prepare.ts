import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '../../shared/contract/index.ts';
import { lambdaContext } from '../../test/support/lambda-context.ts';
import { CannedHandler } from './canned.ts';
import type { Handle, HandlerOf } from './contender.ts';
import { eventOf } from './events.ts';
import { CALLS_OF, type ContenderName, isRaw, OPERATION_NAMES, type OperationName, type RawName } from './names.ts';
import { openContender } from './open.ts';
import { OPERATIONS, REQUESTED_PAGE_SIZE, type Request, SEEDED_CLIENTS, seededResources } from './operations.ts';

/** An operation that can be played any number of times without an engine. */
export interface Play {
  /** Its handler, which gets the recorded responses of the table. */
  readonly handle: Handle;
  /** The request's event, as JSON. */
  readonly event: string;
  /** Calls of the table that it makes. */
  readonly calls: number;
  /** Makes the table return the recorded responses. */
  readonly arrange: () => void;
}

export type Plays = Readonly<Record<OperationName, Play>>;

/** Makes a contender with its records in a table of the engine, runs every operation once, and checks its response. */
export async function prepare(name: ContenderName, engine: string, tableName: string): Promise<Plays> {
  const requestHandler = new CannedHandler(engine);
  const functions = await openContender(isRaw(name) ? CALLS_OF[name] : name, { requestHandler, tableName });
  const clientId = await seed(functions);
  const plays: Partial<Record<OperationName, Play>> = {};
  for (const operation of OPERATION_NAMES) {
    const request = OPERATIONS[operation];
    const event = eventOf(request, clientId);
    const own = functions(request.route);
    let handle = own;
    const send = async () => check(operation, request.route, await own(JSON.parse(event), lambdaContext()));
    const calls = await requestHandler.record(async () => {
      if (isRaw(name)) handle = await rawHandle(name, requestHandler, send);
      else await send();
    });
    plays[operation] = { handle, event, calls: calls.length, arrange: () => requestHandler.replay(calls) };
  }
  return plays as Plays;
}

async function rawHandle(name: RawName, requestHandler: CannedHandler, send: () => Promise<unknown>): Promise<Handle> {
  const { commandsSentBy, raw } = await import('./raw.ts');
  return raw(name, { requestHandler })(await commandsSentBy(name, send));
}

/** Creates the records; returns the id of a client. */
async function seed(functions: HandlerOf): Promise<string> {
  const create = async (request: Request): Promise<string> => {
    const result = await functions(request.route)(JSON.parse(eventOf(request)), lambdaContext());
    if (result.statusCode !== 201)
      throw new Error(`${request.route.path} answered ${result.statusCode} ${result.body}`);
    return JSON.parse(result.body).id as string;
  };
  const ids: string[] = [];
  for (const request of SEEDED_CLIENTS) ids.push(await create(request));
  for (const request of seededResources(ids[0] ?? '')) await create(request);
  return ids[0] ?? '';
}

const TOTALS: Partial<Record<OperationName, number>> = {
  list: SEEDED_CLIENTS.length,
  'filtered list': SEEDED_CLIENTS.length / 2,
  'list of resources': seededResources('').length,
};

/** @throws Error where a contender's response does not match the contract and the records */
function check(operation: OperationName, { response }: Route, { statusCode, body }: APIGatewayProxyResult): void {
  const value: { readonly data?: unknown[]; readonly total?: number } = JSON.parse(body);
  const isRight =
    statusCode === response.status &&
    response.schema?.safeParse(value).success &&
    value.total === TOTALS[operation] &&
    (value.data === undefined || value.data.length === REQUESTED_PAGE_SIZE);
  if (!isRight) throw new Error(`${operation} was answered ${statusCode} ${body.slice(0, 2_000)}`);
}
