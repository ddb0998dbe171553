import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A server in a process of its own. */
export class Server {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#process = child;
  }

  /** Starts a file of this repository; resolves when it prints its address. @throws Error when it ends earlier */
  static start(file: string, environment: Readonly<Record<string, string>>): Promise<Server> {
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, [file], { cwd: ROOT, env: { PATH, ...environment } });
    return new Promise((resolve, reject) => {
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          output = (output + chunk).slice(-8_192);
          const url = /ready at (http:\S+)/.exec(output)?.[1];
          if (url !== undefined) resolve(new Server(url, child));
        });
      }
      child.once('exit', () => reject(new Error(`${file} has ended:\n${output}`)));
    });
  }

  stop(): void {
    this.#process.kill();
  }
}

/** A request; its body is made anew each time. */
export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: () => string;
}

const CONNECTIONS = 10;

/** Sends a request again and again over ten connections. @returns requests a second */
export async function load(url: string, sent: Sent, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const start = performance.now();
  const end = start + seconds * 1_000;
  let responses = 0;
  const sendUntilEnd = async (): Promise<void> => {
    for (; performance.now() < end; responses++) await sendOnce(agent, url, sent);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendUntilEnd));
  agent.destroy();
  return (responses * 1_000) / (performance.now() - start);
}

function sendOnce(agent: Agent, url: string, { method, path, headers, body }: Sent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request(`${url}${path}`, { agent, method, headers })
    .on('response', (response) => {
      const isWell = (response.statusCode ?? 500) < 300;
      response.resume().on('end', () => (isWell ? resolve() : reject(new Error(`answered ${response.statusCode}`))));
    })
    .on('error', reject)
    .end(body?.());
  return promise;
}
