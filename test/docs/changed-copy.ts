import { exec } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { findEngine } from '../../local/dynamodb/choose.ts';
import { copyRelease, ROOT } from './copy.ts';

/** A copy of the repository that a test changes as a page says, and in which it runs commands. */
export class ChangedCopy {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async make(): Promise<ChangedCopy> {
    const directory = await mkdtemp(join(tmpdir(), 'custodia-copy-'));
    await copyRelease(ROOT, directory);
    return new ChangedCopy(directory);
  }

  remove(): Promise<void> {
    return rm(this.#directory, { recursive: true, force: true });
  }

  read(file: string): Promise<string> {
    return readFile(join(this.#directory, file), 'utf8');
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.#directory, file)), { recursive: true });
    await writeFile(join(this.#directory, file), text);
  }

  /** Puts lines behind one that is there. */
  async insert(file: string, after: string, lines: string): Promise<void> {
    const text = await this.read(file);
    expect(text, file).toContain(after);
    await this.write(
      file,
      text.replace(after, () => `${after}${lines}`),
    );
  }

  /** Runs a command, as a user would. @param extent of tests: a sample might leave out what was added */
  async run(command: string, extent: 'nightly' | 'quick' = 'nightly'): Promise<string> {
    // The copy must not see variables of this test run.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
    if (extent === 'nightly') env.TEST_EXTENT = extent;
    else delete env.TEST_EXTENT;
    // What is added is tried; that DynamoDB Local does the same is for the tests of all.
    if (!('missing' in (await findEngine('dynoxide')))) env.TEST_ENGINE ??= 'dynoxide';
    const options = { cwd: this.#directory, env, maxBuffer: 100_000_000 };
    const { stdout } = await promisify(exec)(command, options).catch(
      ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => {
        throw new Error(`${command} failed:\n${stdout.slice(-20_000)}\n${stderr.slice(-5_000)}`);
      },
    );
    return stdout;
  }

  /**
   * Runs tests, in these files or folders; those whose names fit where a pattern is given.
   * @returns the names of those that passed
   */
  async runTests(
    which: readonly string[],
    { pattern, extent }: { readonly pattern?: RegExp; readonly extent?: 'quick' } = {},
  ): Promise<readonly string[]> {
    const report = 'report.json';
    const named = pattern === undefined ? '' : `-t "${pattern.source}"`;
    // The worker shares its modules among the files, and another one would load them again.
    const reported = `--reporter=default --reporter=json --outputFile.json=${report}`;
    await this.run(`npx vitest run --maxWorkers=1 ${reported} ${named} ${which.join(' ')}`, extent);
    const { testResults } = JSON.parse(await this.read(report)) as {
      readonly testResults: readonly { readonly assertionResults: readonly { fullName: string; status: string }[] }[];
    };
    return testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .flatMap(({ fullName, status }) => (status === 'passed' ? [fullName] : []));
  }
}
