import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureLocalKeys } from '#auth';
import { createTable } from '#local-dynamodb';
import { configureTable, environmentTable, JournalReader, RequestSession, Tenant } from '#table';
import { type FunctionEnvironment, setFunctionEnvironment } from '../../local/environment.ts';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { systemClock } from '../../shared/clock.ts';
import { FaultyNetwork } from './network.ts';

/** Several server processes on one table, each with a clock of its own and behind the network. */

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  /** Undefined: no answer came. */
  readonly status: number | undefined;
  readonly etag: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

const SERVER = join(import.meta.dirname, 'server.ts');
const MOVED_CLOCK = new URL('../dates/moved-clock.ts', import.meta.url);

class ServerProcess {
  readonly #ahead: number;
  #environment: FunctionEnvironment | undefined;
  #child: ChildProcess | undefined;
  #ready: Promise<void> = Promise.resolve();
  url = '';

  /** @param ahead how far its clock is ahead, in milliseconds */
  constructor(ahead: number) {
    this.#ahead = ahead;
  }

  /** Resolves when it listens; before that no request is sent to it. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  start(environment: FunctionEnvironment): Promise<void> {
    this.#environment = environment;
    this.#ready = this.#start();
    return this.#ready;
  }

  async #start(): Promise<void> {
    const child = fork(SERVER, [JSON.stringify(this.#environment)], {
      execArgv: [`--import=${MOVED_CLOCK.href}`],
      env: { ...process.env, TEST_CLOCK: String(this.#ahead), NODE_OPTIONS: '', POWERTOOLS_LOG_LEVEL: 'SILENT' },
    });
    this.#child = child;
    const [url] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        throw new Error('a server has ended before it listened');
      }),
    ]);
    this.url = String(url);
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Kills it, and starts it again. */
  restart(): Promise<void> {
    this.#ready = this.kill().then(() => this.#start());
    return this.#ready;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

export interface Organization {
  readonly id: string;
  readonly appCode: string;
  readonly secret: string;
}

export class Fleet {
  readonly network: FaultyNetwork;
  readonly servers: ServerProcess[] = [];
  readonly #environment: Omit<FunctionEnvironment, 'endpoint'>;
  readonly #directory: string;

  private constructor(network: FaultyNetwork, environment: Omit<FunctionEnvironment, 'endpoint'>, directory: string) {
    this.network = network;
    this.#environment = environment;
    this.#directory = directory;
  }

  /** Starts servers whose clocks are so far ahead (milliseconds), on a table of their own in this DynamoDB. */
  static async start(endpoint: string, clocks: readonly number[]): Promise<Fleet> {
    const tableName = `soak-${randomUUID()}`;
    await createTable(endpoint, tableName);
    const directory = await mkdtemp(join(tmpdir(), 'custodia-soak-'));
    const keyFile = join(directory, 'keys.json');
    const environment = { tableName, keyFile, firstKey: true };
    // For this process, which verifies: no network.
    setFunctionEnvironment({ ...environment, endpoint });
    configureTable({});
    await ensureLocalKeys(keyFile);
    const fleet = new Fleet(new FaultyNetwork(endpoint), environment, directory);
    await Promise.all(clocks.map((ahead) => fleet.#add(ahead)));
    return fleet;
  }

  async #add(ahead: number): Promise<void> {
    const server = new ServerProcess(ahead);
    const index = this.servers.push(server) - 1;
    await server.start({ ...this.#environment, endpoint: await this.network.endpointFor(index) });
  }

  /** Sends a request to a server. */
  async send(server: number, { method, path, body, headers }: Sent): Promise<Received> {
    await this.servers[server]?.ready;
    try {
      const response = await fetch(`${this.servers[server]?.url}/api/v1${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.text();
      const parsed = text === '' ? {} : (JSON.parse(text) as Received['body']);
      return { status: response.status, etag: response.headers.get('etag'), body: parsed };
    } catch {
      return { status: undefined, etag: null, body: {} };
    }
  }

  /** A new organization, made at the first server. */
  async organization(): Promise<Organization> {
    const appCode = `soak-${randomUUID()}`;
    const body = { app_code: appCode, display_name: 'Soak' };
    const made = await this.send(0, { method: 'POST', path: '/integrations', body });
    return { id: String(made.body.org_id), appCode, secret: String(made.body.secret) };
  }

  /** What `custodia verify` finds in an organization's table, an hour later, and what is wrong with its journal. */
  async verify({ id }: Organization): Promise<string[]> {
    const clock = (): number => systemClock() + 3_600_000;
    const tenant = Tenant.ofOperator(id, new RequestSession(environmentTable(), clock, clock() + 60_000));
    // Closes lost numbers and notes their gaps, as reading the other lists does.
    const complaints = await outOfOrder(tenant);
    const { differences } = await verify(tenant, kinds, { repair: false });
    return [...complaints, ...differences.map(({ text }) => text)];
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()));
    await this.network.close();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** The records whose events are not in the order of their versions, and a number that stays open. */
async function outOfOrder(tenant: Tenant): Promise<string[]> {
  const journal = new JournalReader(tenant);
  const latest = new Map<string, number>();
  const complaints: string[] = [];
  for (let from: number | 'oldest' = 'oldest'; ; ) {
    const { events, next, ended } = await journal.read({ from, limit: 1_000 });
    for (const { record_id, version } of events) {
      if (version <= (latest.get(record_id) ?? 0)) complaints.push(`${record_id} has version ${version} again or late`);
      latest.set(record_id, version);
    }
    if (ended === 'open') complaints.push(`the journal does not go on after ${next}`);
    if (ended !== 'limit') return complaints;
    from = next;
  }
}
