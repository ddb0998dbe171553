import { randomBytes } from 'node:crypto';
import { markdown } from '../../generate/markdown.ts';
import type { EngineName } from '../../local/dynamodb/index.ts';
import { callersAt } from '../../test/support/api.ts';
import type { Bound } from '../bounds.ts';
import { runBench, writeFigures } from '../harness.ts';
import { inTurns, median, type Spread, spreadOf, spreadText } from '../statistics.ts';
import { load, type Sent, Server } from './server.ts';

interface LocalOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  readonly engine?: EngineName;
}

const OPERATIONS = ['get', 'list', 'create'] as const;
type Operation = (typeof OPERATIONS)[number];

interface Contender {
  readonly name: 'Custodia' | 'middy + zod';
  readonly server: Server;
  readonly requests: Readonly<Record<Operation, Sent>>;
}

/** Requests a second of each round. */
type Rates = Readonly<Record<Operation, Record<Contender['name'], number[]>>>;

/** Rounds, and seconds of a turn. */
const SIZE = { usual: { rounds: 9, duration: 3, warmUp: 8 }, small: { rounds: 3, duration: 2, warmUp: 3 } } as const;

/** Measures requests a second on this machine. @returns whether every bound holds */
export const benchLocal = ({ small, writeDocs, engine: asked }: LocalOptions): Promise<boolean> =>
  runBench(asked, async ({ endpoint, engine, report, print }) => {
    await using started = new AsyncDisposableStack();
    const contenders = [await ours(endpoint), await peer(endpoint)];
    for (const { server } of contenders) started.defer(() => server.stop());
    const rates = await playAll(contenders, SIZE[small ? 'small' : 'usual'], report);
    const readings = OPERATIONS.map((operation) => readingOf(operation, rates, engine));
    const table = `On ${engine}:\n\n${localTable(readings)}`;
    print(`${table}\n`);
    if (writeDocs) await writeFigures('performance.md', `bench:local-${engine}`, table);
    return readings.map(({ bound }) => bound);
  });

async function playAll(
  contenders: readonly Contender[],
  { rounds, duration, warmUp }: (typeof SIZE)[keyof typeof SIZE],
  report: (text: string) => void,
): Promise<Rates> {
  for (const { name, server, requests } of contenders) {
    report(`warming up ${name}`);
    for (const operation of OPERATIONS) await load(server.url, requests[operation], warmUp);
  }
  const none = () => ({ Custodia: [], 'middy + zod': [] });
  const rates: Rates = { get: none(), list: none(), create: none() };
  for (const [round, order] of inTurns(contenders, rounds).entries()) {
    for (const operation of OPERATIONS) {
      report(`round ${round + 1} of ${rounds}: ${operation}`);
      for (const { name, server, requests } of order)
        rates[operation][name].push(await load(server.url, requests[operation], duration));
    }
  }
  return rates;
}

const SECRET = randomBytes(24).toString('base64url');

/** `npm start`, with an organization of its own. */
async function ours(endpoint: string): Promise<Contender> {
  const environment = { DYNAMODB_ENDPOINT: endpoint, DATA_DIR: ':memory:', PORT: '0', PLATFORM_SECRET: SECRET };
  const server = await Server.start('bin/local.ts', environment);
  const { token } = await callersAt(server.url, { appCode: 'platform', secret: SECRET }).orgToken();
  return { name: 'Custodia', server, requests: await requestsOf(server, { authorization: `Bearer ${token}` }) };
}

async function peer(endpoint: string): Promise<Contender> {
  const server = await Server.start('bench/local/peer.ts', { DYNAMODB_ENDPOINT: endpoint });
  return { name: 'middy + zod', server, requests: await requestsOf(server, {}) };
}

const PATH = '/api/v1/clients';
const SEEDED = 60;

const client = (slug: string): string =>
  JSON.stringify({
    name: 'Acme Lda',
    slug,
    email: 'ops@acme.example',
    phone: 351210000000,
    plan: 'premium',
    metadata: { tier: 'gold' },
  });

/** Creates records through a server, and returns the requests. */
async function requestsOf({ url }: Server, caller: Readonly<Record<string, string>>): Promise<Contender['requests']> {
  const headers = { 'content-type': 'application/json', ...caller };
  let id = '';
  for (let index = 0; index < SEEDED; index++) {
    const response = await fetch(`${url}${PATH}`, { method: 'POST', headers, body: client(`client-${index}`) });
    if (response.status !== 201) throw new Error(`a client was answered ${response.status} ${await response.text()}`);
    ({ id } = (await response.json()) as { id: string });
  }
  let created = 0;
  return {
    get: { method: 'GET', path: `${PATH}/${id}`, headers },
    list: { method: 'GET', path: PATH, headers },
    create: { method: 'POST', path: PATH, headers, body: () => client(`created-${created++}`) },
  };
}

/** Requests a second, relative to the peer's. */
const AT_LEAST: Readonly<Record<EngineName, Readonly<Record<Operation, number>>>> = {
  java: { get: 0.65, list: 0.5, create: 0.12 },
  dynoxide: { get: 0.5, list: 0.5, create: 0.2 },
};

interface Reading {
  readonly rates: Rates[Operation];
  /** Ours relative to the peer's in the same round. */
  readonly ratio: Spread;
  readonly bound: Bound & { readonly atLeast: number };
}

function readingOf(operation: Operation, { [operation]: rates }: Rates, engine: EngineName): Reading {
  const ratio = spreadOf(rates.Custodia.map((rate, round) => rate / (rates['middy + zod'][round] ?? Number.NaN)));
  const bound = { claim: `${operation}, requests a second against middy + zod`, measured: ratio };
  return { rates, ratio, bound: { ...bound, atLeast: AT_LEAST[engine][operation] } };
}

const localTable = (readings: readonly Reading[]): string =>
  markdown({
    head: ['operation', 'Custodia', 'middy + zod', 'ratio of requests a second', 'at least'],
    rows: readings.map(({ rates, ratio, bound }, index) => [
      OPERATIONS[index] ?? '',
      ...[rates.Custodia, rates['middy + zod']].map((each) => median(each).toFixed(0)),
      spreadText(ratio),
      String(bound.atLeast),
    ]),
  });
