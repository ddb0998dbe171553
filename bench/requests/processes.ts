import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { LOCAL_CREDENTIALS, LOCAL_REGION, localDynamoDbClient } from '../../local/dynamodb/client.ts';
import { createTable } from '../../local/dynamodb/table.ts';
import type { Cost, Opening, Turn } from './contender-process.ts';
import { CONTENDER_NAMES, type ContenderName } from './names.ts';
import { createPeerTable } from './table.ts';

const FILE = join(import.meta.dirname, 'contender-process.ts');

/** A contender in its process, with its table in an engine. */
export class Contender {
  readonly name: ContenderName;
  readonly #process: ChildProcess;

  private constructor(name: ContenderName, child: ChildProcess) {
    this.name = name;
    this.#process = child;
  }

  static async start(name: ContenderName, engine: string, generation: number): Promise<Contender> {
    const tableName = `${name}-${generation}`;
    const isOurs = name === 'ours' || name === 'raw';
    await (isOurs ? createTable(localDynamoDbClient(engine), tableName) : createPeerTable(engine, tableName));
    const opening: Opening = { name, engine, tableName };
    const child = fork(FILE, [JSON.stringify(opening)], { env: ENVIRONMENT });
    const contender = new Contender(name, child);
    await contender.#answer();
    return contender;
  }

  async play(turn: Turn): Promise<Cost> {
    this.#process.send(turn);
    return (await this.#answer()) as Cost;
  }

  stop(): void {
    this.#process.kill();
  }

  async #answer(): Promise<unknown> {
    const ended = new AbortController();
    const died = once(this.#process, 'exit', { signal: ended.signal }).then(([code]) => {
      throw new Error(`the process of ${this.name} has ended with ${code}`);
    });
    const [message] = (await Promise.race([once(this.#process, 'message', { signal: ended.signal }), died])) as [
      unknown,
    ];
    died.catch(() => undefined);
    ended.abort();
    return message;
  }
}

/** As in Lambda, and nothing of this machine's own AWS configuration. */
const ENVIRONMENT = {
  PATH: process.env.PATH,
  AWS_REGION: LOCAL_REGION,
  AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
};

/** Starts these contenders, or all. */
export const startContenders = (
  engine: string,
  generation: number,
  names: readonly ContenderName[] = CONTENDER_NAMES,
): Promise<Contender[]> => Promise.all(names.map((name) => Contender.start(name, engine, generation)));
