import { randomBytes } from 'node:crypto';
import { markdown } from '../../generate/markdown.ts';
import type { EngineName } from '../../local/dynamodb/index.ts';
import { callersAt } from '../../test/support/api.ts';
import type { Bound } from '../bounds.ts';
import { runBench, writeFigures } from '../harness.ts';
import { inTurns, median, type Spread, spreadOf, spreadText } from '../statistics.ts';
import { load, type Sent, Server } from './server.ts';

export interface LocalOptions {
  readonly small: boolean;
  readonly writeDocs: boolean;
  readonly engine?: EngineName;
}

const OPERATIONS = ['get', 'list', 'create'] as const;
type Operation = (typeof OPERATIONS)[number];

const NAMES = ['Custodia', 'middy + zod'] as const;

interface Contender {
  readonly name: (typeof NAMES)[number];
  readonly server: Server;
  readonly requests: Readonly<Record<Operation, Sent>>;
}

/** One turn. */
interface Load extends Pick<Contender, 'name'> {
  readonly operation: Operation;
  readonly perSecond: number;
}

/** Rounds, and seconds of a turn. */
const SIZE = { usual: { rounds: 9, duration: 3, warmUp: 8 }, small: { rounds: 3, duration: 2, warmUp: 3 } } as const;

/** Measures requests a second on this machine. @returns whether every bound holds */
export const benchLocal = ({ small, writeDocs, engine: asked }: LocalOptions): Promise<boolean> =>
  runBench(asked, async ({ endpoint, engine, report, print }) => {
    await using started = new AsyncDisposableStack();
    const contenders = [await ours(endpoint), await peer(endpoint)];
    for (const { server } of contenders) started.defer(() => server.stop());
    const loads = await playAll(contenders, SIZE[small ? 'small' : 'usual'], report);
    const table = `On ${engine}:\n\n${localTable(loads, engine)}`;
    print(`${table}\n`);
    if (writeDocs) await writeFigures('performance.md', `bench:local-${engine}`, table);
    return localBounds(loads, engine);
  });

async function playAll(
  contenders: readonly Contender[],
  { rounds, duration, warmUp }: (typeof SIZE)[keyof typeof SIZE],
  report: (text: string) => void,
): Promise<Load[]> {
  for (const contender of contenders) {
    report(`warming up ${contender.name}`);
    for (const operation of OPERATIONS) await play(contender, operation, warmUp);
  }
  const loads: Load[] = [];
  for (const [round, order] of inTurns(contenders, rounds).entries()) {
    for (const operation of OPERATIONS) {
      report(`round ${round + 1} of ${rounds}: ${operation}`);
      for (const contender of order) loads.push(await play(contender, operation, duration));
    }
  }
  return loads;
}

const play = async ({ name, server, requests }: Contender, operation: Operation, seconds: number): Promise<Load> => ({
  ...{ name, operation },
  perSecond: await load(server.url, requests[operation], seconds),
});

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

const turnsOf = (loads: readonly Load[], name: Contender['name'], operation: Operation): readonly Load[] =>
  loads.filter((each) => each.name === name && each.operation === operation);

/** Ours relative to the peer's in the same round. */
function ratioOf(loads: readonly Load[], operation: Operation): Spread {
  const peers = turnsOf(loads, 'middy + zod', operation);
  return spreadOf(
    turnsOf(loads, 'Custodia', operation).map(({ perSecond }, round) => perSecond / (peers[round]?.perSecond ?? NaN)),
  );
}

const localBounds = (loads: readonly Load[], engine: EngineName): Bound[] =>
  OPERATIONS.map((operation) => ({
    claim: `${operation}, requests a second against middy + zod`,
    measured: ratioOf(loads, operation),
    atLeast: AT_LEAST[engine][operation],
  }));

function localTable(loads: readonly Load[], engine: EngineName): string {
  const cell = (name: Contender['name'], operation: Operation): string =>
    median(turnsOf(loads, name, operation).map(({ perSecond }) => perSecond)).toFixed(0);
  return markdown({
    head: ['operation', ...NAMES, 'ratio of requests a second', 'at least'],
    rows: OPERATIONS.map((operation) => [
      operation,
      ...NAMES.map((name) => cell(name, operation)),
      spreadText(ratioOf(loads, operation)),
      String(AT_LEAST[engine][operation]),
    ]),
  });
}
