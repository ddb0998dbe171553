import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorProblem } from '../problem.ts';
import { type Ask, stageCaller } from './caller.ts';
import { BATCH, NAME, READS, WRITABLES, type Writable } from './requests.ts';
import { Tally } from './tally.ts';

/** Sends requests to a stage, as a caller of an organization that exists only for this purpose. */

interface Key {
  readonly appCode: string;
  readonly secret: string;
}

export interface TrafficOptions extends Key {
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
const SLUG = 'canary-traffic';

/**
 * Prepares the requests.
 * @returns a function that sends them until the end, deletes its records and counts the responses; undefined where the stage does not work
 * @throws OperatorProblem where the key cannot be used
 */
export async function prepareTraffic(options: TrafficOptions): Promise<(() => Promise<Tally>) | undefined> {
  const { rate, signal } = options;
  const wait = options.wait ?? untilThenOr(signal);
  const tally = new Tally();
  const ask = stageCaller({ base: options.base.replace(/\/+$/, ''), tally, turn: turns(rate, wait), wait });
  const client = await clientOf(ask, options);
  if (client === undefined) return undefined;
  return async () => {
    const senders = Array.from({ length: Math.ceil(rate / RATE_OF_A_SENDER) }, async () => {
      while (!signal.aborted) await round(ask, options, client, signal);
    });
    await Promise.all(senders);
    await clear(ask, options, client);
    return tally;
  };
}

const untilThenOr =
  (signal: AbortSignal) =>
  (seconds: number): Promise<unknown> =>
    sleep(seconds * 1_000, undefined, { signal }).catch(() => undefined);

/** Spaces the requests of all senders evenly. */
function turns(rate: number, wait: (seconds: number) => Promise<unknown>): () => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const mine = last;
    last = mine.then(() => wait(1 / rate));
    return mine;
  };
}

/** Calls every function once. The login makes a new token, so that the authorizer has to check it. */
async function round(ask: Ask, key: Key, client: string, signal: AbortSignal): Promise<void> {
  const { token } = await logIn(ask, key);
  for (const { path, needsToken, expected } of READS) {
    if (signal.aborted) return;
    await ask('GET', path, { ...(needsToken && { token }), expected });
  }
  if (signal.aborted) return;
  await ask('POST', BATCH.path, { token, body: BATCH.body, expected: BATCH.expected });
  for (const writable of WRITABLES) {
    if (signal.aborted) return;
    await write(ask, writable, client, token);
  }
}

async function write(ask: Ask, { path, create, change }: Writable, client: string, token: string | undefined) {
  const { body } = await ask('POST', path, { token, body: create(client), expected: 201 });
  if (typeof body?.id !== 'string') return;
  const named = { id: body.id, token };
  await ask('GET', path, { ...named, expected: 200 });
  await ask('PATCH', path, { ...named, body: change, expected: 200 });
  await ask('DELETE', path, { ...named, expected: 204 });
}

async function logIn(ask: Ask, key: Key): Promise<{ readonly status?: number | undefined; readonly token?: string }> {
  const body = { app_code: key.appCode, secret: key.secret };
  const { status, body: response } = await ask('POST', '/api/v1/auth/login', { body, expected: 200 });
  const token = response?.access_token;
  return { status, ...(status === 200 && typeof token === 'string' && { token }) };
}

/**
 * The client that our records belong to. It stays, because the API does not delete clients.
 * @throws OperatorProblem
 */
async function clientOf(ask: Ask, key: Key): Promise<string | undefined> {
  const { status, token } = await logIn(ask, key);
  if (status === 401 || status === 403) {
    throw new OperatorProblem(
      `${key.appCode} is refused: it is no key of this stage, is inactive or suspended, or has another secret.`,
    );
  }
  if (token === undefined) return undefined;
  const found = await ask('GET', `/api/v1/clients?q=${SLUG}`, { token, expected: 200 });
  const clients = (found.body?.data ?? []) as readonly { readonly id: string; readonly slug: string }[];
  const own = clients.find(({ slug }) => slug === SLUG);
  if (own !== undefined) return own.id;
  const made = await ask('POST', '/api/v1/clients', { token, body: { name: NAME, slug: SLUG }, expected: 201 });
  if (typeof made.body?.id === 'string') return made.body.id;
  if (made.status === undefined || made.status === 429 || made.status >= 500) return undefined;
  throw new OperatorProblem(
    `${key.appCode} must be a key of an organization that may write: making a client was answered with ${made.status}.`,
  );
}

/** Deletes the records of an interrupted round, or of a run that was killed. */
async function clear(ask: Ask, key: Key, client: string): Promise<void> {
  const { token } = await logIn(ask, key);
  for (const { path } of WRITABLES) {
    const { body } = await ask('GET', `${path}?client_id=${client}&page_size=200`, { token, expected: 200 });
    for (const { id } of (body?.data ?? []) as readonly { readonly id: string }[]) {
      await ask('DELETE', path, { id, token, expected: 204 });
    }
  }
}
