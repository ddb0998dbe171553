import { setTimeout as sleep } from 'node:timers/promises';
import { contracts } from '../functions/all-contracts.ts';
import { type Custodia, CustodiaProblem, createCustodia } from '../packages/client/src/index.ts';
import { OperatorProblem } from './problem.ts';

/** Sends requests to a stage while a canary runs, as a caller of an organization for nothing else. */

/** Every read that needs no id. A new domain is called, too, because they follow from the contracts. */
export const READS = contracts
  .flatMap(({ routes }) => Object.values(routes))
  .filter(({ method, path, auth }) => method === 'GET' && !path.includes('{') && /^(bearer|none)$/.test(auth))
  // The keys of tokens are of the same function, and read more.
  .filter(({ path }) => !path.startsWith('/.well-known/oauth-'))
  .map(({ path, auth }) => ({ path, needsToken: auth !== 'none' }));

/** Marks the records of the traffic for people who see them. */
const NAME = 'canary traffic';
/** The API does not look up ids of people. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** What each kind of record that can be deleted is created with, besides its client, and what is changed of it. */
export const WRITES: Readonly<Record<string, readonly [create: object, change: object]>> = {
  '/api/v1/services': [{ name: NAME, type: 'canary' }, { plan: 'changed' }],
  '/api/v1/resources': [{ name: NAME, type: 'canary' }, { provider: 'changed' }],
  '/api/v1/tickets': [{ subject: NAME, description: NAME, source: 'canary', contact_id: NOBODY }, { status: 'closed' }],
};

/** Requests of a round: a login, the reads, a batch, and four for each kind of record. */
export const ROUND = 2 + READS.length + 4 * Object.keys(WRITES).length;

/** The bounds of the alarms that roll back a canary deployment: 1 % of the requests, and at least three. */
const [FEWEST, SHARE] = [3, 0.01];

/** Counts the responses of a run. */
export class Tally {
  requests = 0;
  unexpected = 0;
  readonly #routes = new Map<string, number>();

  /** @param status undefined where nothing responded in time */
  add(method: string, path: string, status: number | undefined): void {
    this.requests += 1;
    // A spent budget is no failure of the new version, and the list of organizations is for the platform only.
    if (status !== undefined && (status < 400 || status === 429 || (status === 403 && path.endsWith('/orgs')))) return;
    this.unexpected += 1;
    const outcome = status === undefined ? 'was not answered' : `was answered with ${status}`;
    const route = `${method} ${path.replace(/[\da-f-]{36}/, '{id}')} ${outcome}`;
    this.#routes.set(route, (this.#routes.get(route) ?? 0) + 1);
  }

  /** Whether more requests failed than those bounds allow. */
  get isBad(): boolean {
    return this.unexpected >= Math.max(FEWEST, this.requests * SHARE);
  }

  /** The outcome as lines for people. */
  lines(): readonly string[] {
    const routes = [...this.#routes].map(([route, times]) => `  ${route}${times === 1 ? '' : `, ${times} times`}`);
    return [`${this.requests} requests, ${this.unexpected} not answered as expected`, ...routes];
  }
}

export interface TrafficOptions {
  readonly appCode: string;
  readonly secret: string;
  /** The address in front of `/api/v1`. */
  readonly base: string;
  /** Requests a second. */
  readonly rate: number;
  /** Ends the traffic. */
  readonly signal: AbortSignal;
  /** Waits so many seconds. Default: by a timer, until the end at most. */
  readonly wait?: (seconds: number) => Promise<unknown>;
}

/** A sender sends one request after the other: four a second, if each takes 250 ms. */
const RATE_OF_A_SENDER = 4;

/**
 * Prepares the requests.
 * @returns a function that sends them until the end and counts the responses; undefined where the stage does not work
 * @throws OperatorProblem where the key cannot be used
 */
export async function prepareTraffic(options: TrafficOptions): Promise<(() => Promise<Tally>) | undefined> {
  const { base, appCode, secret, rate, signal } = options;
  const { wait = (seconds: number) => sleep(seconds * 1_000, undefined, { signal }).catch(() => undefined) } = options;
  const tally = new Tally();
  const turn = turns(() => wait(1 / rate));
  const counted = async (request: Request): Promise<Response> => {
    await turn();
    const { pathname } = new URL(request.url);
    const response = await fetch(request).catch((error: unknown) => {
      tally.add(request.method, pathname, undefined);
      throw error;
    });
    tally.add(request.method, pathname, response.status);
    return response;
  };
  const credentials = { appCode, secret };
  const newApi = (): Custodia =>
    createCustodia({ baseUrl: base.replace(/\/+$/, ''), credentials, fetch: counted, retry: { attempts: 2 } });
  const client = await clientOf(newApi(), appCode);
  if (client === undefined) return undefined;
  return async () => {
    const senders = Array.from({ length: Math.ceil(rate / RATE_OF_A_SENDER) }, async () => {
      while (!signal.aborted) await round(newApi(), client, signal);
    });
    await Promise.all(senders);
    return tally;
  };
}

/** Spaces the requests of all senders evenly. */
function turns(wait: () => Promise<unknown>): () => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const mine = last;
    last = mine.then(wait);
    return mine;
  };
}

/**
 * The client that our records belong to. It stays, because the API does not delete clients.
 * @throws OperatorProblem
 */
async function clientOf(api: Custodia, appCode: string): Promise<string | undefined> {
  try {
    const query = { slug: 'canary-traffic' };
    return (await api.PUT('/api/v1/clients', { params: { query }, body: { name: NAME } })).data.id;
  } catch (error) {
    if (!(error instanceof CustodiaProblem) || error.status === 429 || error.status >= 500) return undefined;
    throw new OperatorProblem(`${appCode} must be an active key of an organization that may write: ${error.message}.`);
  }
}

/** Calls every function once. The client is new, and logs in, so that the authorizer has to check a new token. */
async function round(api: Custodia, client: string, signal: AbortSignal): Promise<void> {
  for (const { path } of READS) {
    if (signal.aborted) return;
    await tried(api.GET(path as never));
  }
  await tried(api.batch([{ key: '1', operation: 'deleteTicket', params: { id: NOBODY } }]));
  for (const [path, [create, change]] of Object.entries(WRITES)) {
    if (signal.aborted) return;
    const made = await tried(api.POST(path as never, { body: { client_id: client, ...create } } as never));
    if (made === undefined) continue;
    const named = { params: { path: { id: (made.data as { readonly id: string }).id } } };
    await tried(api.GET(`${path}/{id}` as never, named as never));
    await tried(api.PATCH(`${path}/{id}` as never, { ...named, body: change } as never));
    await tried(api.DELETE(`${path}/{id}` as never, named as never));
  }
}

/** What was refused or got no response is counted already. */
const tried = <T>(call: Promise<T>): Promise<T | undefined> => call.catch(() => undefined);
