import type { TimeLimit } from './table.ts';

/** Most bytes of records that a request reads: 25 of the largest twice, if replicas are stale. */
export const MAX_READ = 16 * 1_048_576;

/** Most bytes of the first round trip for a page of scattered records: two calls of up to 16 MB. */
const MAX_FIRST_LOOK = 2 * MAX_READ;

/** Most bytes that one query reads (AWS, "Paginating table query results"). */
const MAX_QUERY = 1_048_576;

/** Largest item of a record: the record and internal attributes. In bytes. */
const MAX_ITEM = 240_000;

/** More than the keys and internal attributes of a record take. In bytes. */
const INTERNAL = 2_000;

/** Size from which 200 records, the largest page, may be more than a query reads. In bytes. */
export const LARGE = 5_000;

/** Bytes per read unit (AWS, "DynamoDB read consistency"). */
export const UNIT = { strongly: 4_096, eventually: 8_192 } as const;

/** Most read units that one request takes for what no index answers (`residual.ts`). */
export const MOST_RESIDUAL = 500;

/** Bytes of the smallest records: of more candidates than these the records cannot be read. */
const SMALLEST = 200;
export const MOST_CANDIDATES = (MOST_RESIDUAL * UNIT.strongly) / SMALLEST;

/** The request that reads. */
export interface Reading extends TimeLimit {
  /** Called with the most units that it is about to read, where that is known. May throw. */
  readonly expectUnits?: ((units: number) => void) | undefined;
}

/** How many bytes of records one request may still read, and until when. */
export class ReadBudget {
  readonly timeLimit: Reading;
  /** Records are read in the requested order, so that a page is cut at its end. */
  readonly newestFirst: boolean;
  /** Whether records were left unread because the budget was spent. */
  isCut = false;
  /** Whether a query has returned its 1 MB. The rest is then read by key, in one round trip at the same cost. */
  hasFullQuery = false;
  /** The size of the list's largest record, in bytes; 0 if it is not known. */
  largest = 0;
  readonly #most: number;
  #spent = 0;
  #records = 0;

  constructor(timeLimit: Reading, newestFirst: boolean, most = MAX_READ) {
    this.timeLimit = timeLimit;
    this.newestFirst = newestFirst;
    this.#most = most;
  }

  /** What was read strongly consistently, in read units. */
  get units(): number {
    return this.#spent / UNIT.strongly;
  }

  /** How many records may be read now, even if all are of the largest size. */
  get records(): number {
    return this.#fitting(MAX_ITEM);
  }

  /** Reports to the request how many units these records cost to read, if all are as large as the largest. */
  expect(records: number, strongly: boolean): void {
    const bytes = Math.min(records * this.largest, strongly ? this.#most : MAX_FIRST_LOOK);
    if (bytes > 0) this.timeLimit.expectUnits?.(bytes / (strongly ? UNIT.strongly : UNIT.eventually));
  }

  /** How many records a query certainly reads, if the largest is known; else there is no bound. */
  get perQuery(): number {
    return this.largest === 0 ? Number.POSITIVE_INFINITY : Math.floor(MAX_QUERY / (this.largest + INTERNAL));
  }

  /**
   * How many of the wanted records may be read at once: first all of a page, then as many as fit if they are like those
   * before, or of the largest size. If none, the page is cut.
   */
  mayRead(wanted: number): number {
    const alike = this.#records === 0 ? 0 : this.#fitting(this.#spent / this.#records);
    const most = this.#spent === 0 ? wanted : Math.min(wanted, Math.max(alike, this.records));
    this.isCut ||= wanted > 0 && most === 0;
    return most;
  }

  /** Deducts the records that were read, as DynamoDB charged them. */
  spend(units: number, strongly: boolean, records: number): void {
    this.#records += records;
    this.#spent += units * (strongly ? UNIT.strongly : UNIT.eventually);
  }

  /** How many records of this size fit into what is left. */
  #fitting(bytes: number): number {
    return Math.max(0, Math.floor((this.#most - this.#spent - MAX_QUERY) / bytes));
  }
}
