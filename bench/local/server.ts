import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A server in a process of its own. */
export class Server {
  readonly url: string;
  readonly pid: number;
  readonly #process: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.pid = child.pid ?? 0;
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
