import { type FileHandle, open, rm } from 'node:fs/promises';
import { jsonText } from '../local/terminal/printable.ts';
import { OperatorProblem } from './problem.ts';

/** Properties that a run of `verify --all` must share with the run that it continues. */
export interface RunOfVerify {
  readonly table: string;
  readonly repair: boolean;
  /** The lists of the release by entity: its filters and indexes. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/**
 * The progress of `verify --all` in a file: a line of JSON about the run, then one for each tenant with which nothing
 * is left to do. A line is on disk before the next tenant begins. An interruption may cut off the last line, which is
 * then ignored. The file exists as long as something is left to do.
 */
export class VerifyProgress {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #done: ReadonlySet<string | undefined>;

  private constructor(path: string, file: FileHandle, done: ReadonlySet<string | undefined>) {
    this.#path = path;
    this.#file = file;
    this.#done = done;
  }

  /**
   * Continues the run of a file, or begins a new one.
   * @throws OperatorProblem where the file belongs to another run, is not a progress file, or cannot be opened
   */
  static async open(path: string, run: RunOfVerify): Promise<VerifyProgress> {
    const file = await open(path, 'a+', 0o600).catch((cause: unknown) => {
      throw new OperatorProblem(`--progress ${path} cannot be opened.`, { cause });
    });
    try {
      const text = await file.readFile('utf8');
      const first = lineOf(run);
      // Also covers an interruption in the first line.
      if (!text.startsWith(first) && !first.startsWith(text)) throw notOfThisRun(path);
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      await file.truncate(Buffer.byteLength(whole));
      if (whole === '') await append(file, first);
      const done = whole.split('\n').slice(1, -1).map(tenantIn);
      if (done.includes(undefined)) throw notOfThisRun(path);
      return new VerifyProgress(path, file, new Set(done));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  isDone(tenant: string): boolean {
    return this.#done.has(tenant);
  }

  /** Records that nothing is left to do with a tenant. */
  note(tenant: string): Promise<void> {
    return append(this.#file, lineOf({ tenant }));
  }

  /** Nothing is left to do: the next run begins anew. */
  finish(): Promise<void> {
    return rm(this.#path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

const notOfThisRun = (path: string): OperatorProblem =>
  new OperatorProblem(
    `${path} is not the progress of this run, but of another table or release, without --repair, or something ` +
      'else: name another file.',
  );

const lineOf = (value: object): string => `${jsonText(value, 0)}\n`;

/** `{"tenant":"…"}` */
const tenantIn = (line: string): string | undefined => TENANT.exec(line)?.[1];
const TENANT = /^\{"tenant":"([\w-]+)"\}$/;

async function append(file: FileHandle, line: string): Promise<void> {
  await file.appendFile(line);
  await file.datasync();
}
