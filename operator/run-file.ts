import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { jsonText } from '../local/terminal/printable.ts';
import { linesOf } from './import/text.ts';
import { OperatorProblem } from './problem.ts';

type Json = Readonly<Record<string, unknown>>;

interface RunFileOptions {
  readonly path: string;
  /** What a run must share with the run that it goes on with. */
  readonly run: object;
  /** For messages: `report of this import`, and the option that names it. */
  readonly what: string;
  readonly option: string;
  /** Takes each line of earlier runs. @returns whether it is a line of such a file */
  readonly onLine: (line: Json) => boolean;
}

/**
 * The file by which a run that was interrupted goes on: NDJSON with a line about the run, then one for each step. A
 * last line that was cut off is overwritten. Only its owner may read the file.
 */
export class RunFile {
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /**
   * Goes on with a file, or begins a new one.
   * @throws OperatorProblem where the file is of another run or is something else, or cannot be opened
   */
  static async open(options: RunFileOptions): Promise<RunFile> {
    const { path, run, option } = options;
    const file = await open(path, 'a+', 0o600).catch((cause: unknown) => {
      throw new OperatorProblem(`${option} ${path} cannot be opened.`, { cause });
    });
    try {
      const end = await read(options);
      await file.truncate(end);
      const opened = new RunFile(path, file);
      if (end === 0) await opened.append({ run });
      return opened;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async append(line: object): Promise<void> {
    await this.#file.appendFile(`${jsonText(line, 0)}\n`);
  }

  /** Resolves when all lines are on disk. */
  sync(): Promise<void> {
    return this.#file.datasync();
  }

  /** Nothing is left to do: the next run begins anew. */
  remove(): Promise<void> {
    return rm(this.#path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

/** @returns the length of the file in bytes up to the last whole line */
async function read({ path, run, what, option, onLine }: RunFileOptions): Promise<number> {
  const { size } = await stat(path);
  let end = 0;
  const notOfThis = (other: unknown): OperatorProblem =>
    new OperatorProblem(`${path} is not the ${what}, ${differenceOf(run, other)}: name another with ${option}.`);
  // A line that was cut off may end within a character.
  for await (const { text } of linesOf(path, false)) {
    const bytes = Buffer.byteLength(text) + 1;
    // Without its line feed, it was cut off.
    const isWhole = end + bytes <= size;
    const line = isWhole ? objectIn(text) : undefined;
    // What is cut off is overwritten, so it must be of this run: other files, too, have one line without a line feed.
    const isOwn = isWhole ? jsonText(line?.run ?? null, 0) === jsonText(run, 0) : jsonText({ run }, 0).startsWith(text);
    if (end === 0 ? !isOwn : isWhole && (line === undefined || !onLine(line))) throw notOfThis(line?.run);
    if (!isWhole) break;
    end += bytes;
  }
  return end;
}

function objectIn(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** In what runs differ, so that one who has only mistyped something sees it. */
function differenceOf(run: object, other: unknown): string {
  const values = typeof other === 'object' && other !== null ? Object.entries(other) : [];
  const different = values.filter(
    ([name, value]) => name in run && typeof value !== 'object' && value !== run[name as never],
  );
  if (different.length === 0) return 'but something else';
  return `but of one with ${different.map(([name, value]) => `${name} ${jsonText(value, 0)}`).join(' and ')}`;
}
