import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTable, localConnection } from '#local-dynamodb';
import { createPeerTable } from '../peer/table.ts';
import type { Calls, ContenderSettings, Turn } from './contender-process.ts';
import { CALLS_OF, type ContenderName, isRaw } from './names.ts';

const FILE = join(import.meta.dirname, 'contender-process.ts');

/** A contender in its process, with its table in an engine. */
export class Contender {
  readonly name: ContenderName;
  readonly calls: Calls;
  readonly #process: ChildProcess;

  private constructor(name: ContenderName, child: ChildProcess, calls: Calls) {
    this.name = name;
    this.#process = child;
    this.calls = calls;
  }

  static async start(name: ContenderName, engine: string, generation: number): Promise<Contender> {
    const tableName = `${name}-${generation}`;
    const isOurs = (isRaw(name) ? CALLS_OF[name] : name) === 'ours';
    await (isOurs ? createTable(engine, tableName) : createPeerTable(engine, tableName));
    const opening: ContenderSettings = { name, engine, tableName };
    const child = fork(FILE, [JSON.stringify(opening)], {
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    // Logs go into a pipe, as in Lambda, and are discarded.
    child.stdout?.resume();
    return new Contender(name, child, (await responseOf(child, name)) as Calls);
  }

  /** @returns CPU time of the process for each request, in microseconds */
  async play(turn: Turn): Promise<number> {
    this.#process.send(turn);
    return (await responseOf(this.#process, this.name)) as number;
  }

  stop(): void {
    this.#process.kill();
  }
}

/** The next message of a process. @throws Error when it ends instead */
async function responseOf(child: ChildProcess, name: ContenderName): Promise<unknown> {
  const settled = new AbortController();
  const { signal } = settled;
  const death = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the process of ${name} has ended with ${code}`);
  });
  const [message] = (await Promise.race([once(child, 'message', { signal }), death])) as [unknown];
  death.catch(() => undefined);
  settled.abort();
  return message;
}

const { region, credentials } = localConnection();
/** The environment of a Lambda, without this machine's AWS configuration. */
const ENVIRONMENT = {
  PATH: process.env.PATH,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
};

export const startContenders = (
  engine: string,
  generation: number,
  names: readonly ContenderName[],
): Promise<Contender[]> => Promise.all(names.map((name) => Contender.start(name, engine, generation)));
