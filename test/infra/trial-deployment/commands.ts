import { join } from 'node:path';
import { expectThat } from './checks.ts';
import type { Processes, Ran } from './processes.ts';

/** The command lines of CDK and of the operator, as `npx cdk` and `npx custodia` run them. */

const ROOT = join(import.meta.dirname, '../../..');
const CDK = join(ROOT, 'node_modules/aws-cdk/bin/cdk');
const CUSTODIA = join(ROOT, 'bin/custodia.cjs');

export class Commands {
  readonly #processes: Processes;
  readonly #lane: string;

  /** @param lane names the files with what they print */
  constructor(processes: Processes, lane: string) {
    this.#processes = processes;
    this.#lane = lane;
  }

  /** @throws Error where it fails */
  async cdk(...args: readonly string[]): Promise<void> {
    const log = `${this.#lane}-cdk`;
    const { code, stdout, stderr } = await this.#processes.run(process.execPath, [CDK, ...args, '--no-notices'], {
      log,
    });
    const said = `${stdout}\n${stderr}`.split('\n').filter((line) => /FAILED|❌|rror/.test(line));
    expectThat(code === 0, [`cdk ${args.join(' ')} ended with ${code}`, ...said.slice(0, 10)].join('\n'));
  }

  custodia(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return this.#processes.run(process.execPath, [CUSTODIA, ...args], { log: `${this.#lane}-custodia`, environment });
  }

  /** @returns what it prints @throws Error where it does not end with 0 */
  async succeeding(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const { code, stdout, stderr } = await this.custodia(args, environment);
    expectThat(code === 0, `custodia ${args.join(' ')} ended with ${code}\n${stdout}${stderr}`);
    return stdout;
  }
}
