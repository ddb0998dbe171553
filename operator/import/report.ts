import { RunFile } from '../run-file.ts';

/** What an import must share with the one that it goes on with. */
export interface RunOfImport {
  readonly sha256: string;
  /** `createClient`, or `export` for a file with records of all kinds. */
  readonly operation: string;
  readonly url: string;
  readonly app_code: string;
  readonly org_id: string | null;
}

/** What is sent for a line of the file: its record, or with `usage` the rest of an exported resource (`run.ts`). */
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
 * The report of an import: a line for each record when its result is known, and before each batch one with the lines
 * that are sent in it. So an import that was interrupted goes on where it was.
 */
export class Report {
  readonly #file: RunFile;
  readonly #known: ReadonlyMap<string, Known>;

  private constructor(file: RunFile, known: ReadonlyMap<string, Known>) {
    this.#file = file;
    this.#known = known;
  }

  /** @throws OperatorProblem where the file is not the report of this import, or cannot be opened */
  static async open(path: string, run: RunOfImport): Promise<Report> {
    const known = new Map<string, Known>();
    const onLine = (line: Partial<ReportLine & Sending>): boolean => {
      note(known, line);
      return true;
    };
    const file = await RunFile.open({ path, run, what: 'report of this import', option: '--report', onLine });
    return new Report(file, known);
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
    await this.#file.append({ sent_at: new Date(now).toISOString(), sent: steps.map(nameOf) });
    await this.#file.sync();
  }

  note(line: ReportLine): Promise<void> {
    return this.#file.append(line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }
}

const isDone = (status: Known['status']): boolean => typeof status === 'number' && status < 300;
/** After a status of 500 or more nobody knows. */
const isCertain = (status: Known['status']): boolean => typeof status === 'number' && status < 500;

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
