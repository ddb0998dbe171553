import { type FileHandle, open, stat } from 'node:fs/promises';
import { jsonText } from '../../local/terminal/printable.ts';
import { OperatorProblem } from '../problem.ts';
import { linesOf } from './text.ts';

/** What an import must share with the one that it goes on with. */
export interface RunOfImport {
  readonly sha256: string;
  /** `createClient`, or `export` for a file with records of all kinds. */
  readonly operation: string;
  readonly url: string;
  readonly app_code: string;
  readonly org_id: string | null;
}

/** What is sent for a line of the file: its record, or with `usage` the rest of an exported resource (`usage.ts`). */
export interface Step {
  readonly line: number;
  readonly part?: 'usage';
}

/** Names a step in the report, and behind the file's SHA-256 as a key: `12`. */
export const nameOf = ({ line, part }: Step): string => (part === undefined ? String(line) : `${line}-${part}`);

/** The result of a record. A record that is imported again has a further line, which counts. */
export interface ReportLine extends Step {
  /** Absent for a line of an export that is no record, and so is the operation. */
  readonly type?: string;
  readonly operation?: string;
  /**
   * Of the operation, as in the response of its route; `not-sent` for a line with mistakes; `unknown` where no response
   * came.
   */
  readonly status: number | 'not-sent' | 'unknown';
  readonly id?: string;
  readonly problem?: unknown;
}

/** What is known of a line from earlier runs. */
interface Known {
  status: ReportLine['status'] | undefined;
  id: string | undefined;
  /** When it was first sent without a result, in milliseconds since 1970. */
  sentAt: number | undefined;
}

/**
 * The report of an import: NDJSON with a line about the run, then one for each record when its result is known, and
 * before each batch one with the lines that are sent in it. So an import that was interrupted goes on where it was. A
 * last line that was cut off is ignored.
 */
export class Report {
  readonly #file: FileHandle;
  readonly #known: Map<string, Known>;

  private constructor(file: FileHandle, known: Map<string, Known>) {
    this.#file = file;
    this.#known = known;
  }

  /**
   * Goes on with the report of a file, or begins a new one, which only its owner may read.
   * @throws OperatorProblem where the file is not the report of this import, or cannot be opened
   */
  static async open(path: string, run: RunOfImport): Promise<Report> {
    const file = await open(path, 'a+', 0o600).catch((cause: unknown) => {
      throw new OperatorProblem(`The report ${path} cannot be opened.`, { cause });
    });
    try {
      const { known, end } = await read(path, run);
      await file.truncate(end);
      const report = new Report(file, known);
      if (end === 0) await report.#append({ run });
      return report;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** How many records earlier runs have imported. */
  get done(): number {
    return this.#known
      .entries()
      .reduce((sum, [name, { status }]) => sum + Number(isDone(status) && !name.includes('-')), 0);
  }

  /** The id of the record that was made of a line, or that it has changed; undefined where nothing was. */
  idOf(step: Step): string | undefined {
    const { status, id } = this.#known.get(nameOf(step)) ?? {};
    return isDone(status) ? id : undefined;
  }

  isDone(step: Step): boolean {
    return isDone(this.#known.get(nameOf(step))?.status);
  }

  /** When a step was first sent, where it is not known whether it was carried out; in milliseconds since 1970. */
  unknownSince(step: Step): number | undefined {
    const { status, sentAt } = this.#known.get(nameOf(step)) ?? {};
    return isCertain(status) ? undefined : sentAt;
  }

  /** Notes on disk that these steps are sent now. */
  async sending(steps: readonly Step[], now: number): Promise<void> {
    await this.#append({ sent_at: new Date(now).toISOString(), sent: steps.map(nameOf) });
    await this.#file.datasync();
  }

  async note(line: ReportLine): Promise<void> {
    await this.#append(line);
  }

  async #append(value: unknown): Promise<void> {
    await this.#file.appendFile(`${jsonText(value, 0)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

const isDone = (status: Known['status']): boolean => typeof status === 'number' && status < 300;
/** After a status of 500 or more nobody knows. */
const isCertain = (status: Known['status']): boolean => typeof status === 'number' && status < 500;

/** What a report says of its lines, and its length in bytes up to the last whole line. */
async function read(path: string, run: RunOfImport): Promise<{ known: Map<string, Known>; end: number }> {
  const known = new Map<string, Known>();
  const { size } = await stat(path);
  let end = 0;
  // A line that was cut off may end within a character.
  for await (const { text } of linesOf(path, false)) {
    const bytes = Buffer.byteLength(text) + 1;
    // Without its line feed, it was cut off.
    const isWhole = end + bytes <= size;
    if (end === 0) requireRun(text, isWhole, path, run);
    if (!isWhole) break;
    if (end > 0) {
      const value = objectIn(text);
      if (value === undefined) throw notOfThis(path, run, undefined);
      note(known, value as unknown as Partial<ReportLine & Sending>);
    }
    end += bytes;
  }
  return { known, end };
}

/**
 * What is cut off is overwritten, so it must be of this report: other files, too, have one line without a line feed.
 */
function requireRun(text: string, isWhole: boolean, path: string, run: RunOfImport): void {
  const other = isWhole ? objectIn(text)?.run : undefined;
  const isOwn = isWhole ? jsonText(other ?? null, 0) === jsonText(run, 0) : jsonText({ run }, 0).startsWith(text);
  if (!isOwn) throw notOfThis(path, run, other);
}

interface Sending {
  readonly sent_at: string;
  readonly sent: readonly string[];
}

function note(known: Map<string, Known>, report: Partial<ReportLine & Sending>): void {
  const { sent = [], sent_at, line, status, id } = report;
  for (const each of sent) {
    const before = known.get(each);
    const sentAt = isCertain(before?.status) ? undefined : before?.sentAt;
    known.set(each, { status: undefined, id: undefined, sentAt: sentAt ?? Date.parse(sent_at ?? '') });
  }
  if (line === undefined) return;
  const name = nameOf({ ...report, line });
  known.set(name, { status, id, sentAt: known.get(name)?.sentAt });
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Says in what it differs, so that one who has only mistyped something sees it. */
function notOfThis(path: string, run: RunOfImport, other: unknown): OperatorProblem {
  const values = typeof other === 'object' && other !== null ? Object.entries({ ...other }) : [];
  const different = values.filter(([name, value]) => name in run && value !== run[name as keyof RunOfImport]);
  const reason =
    different.length === 0
      ? 'but something else'
      : `but of one with ${different.map(([name, value]) => `${name} ${jsonText(value, 0)}`).join(' and ')}`;
  return new OperatorProblem(`${path} is not the report of this import, ${reason}: name another with --report.`);
}
