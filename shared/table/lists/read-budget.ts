import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { MAX_RECORD } from '../../contract/sizes.ts';
import type { TimeLimit } from '../transaction/retry.ts';

/** Beyond this one request reads no more records, over all its rounds. In bytes: 25 of the largest are read twice, should copies lag. */
export const MAX_READ = 16 * 1_048_576;

/** What a first look at the largest page reads at most: two calls, each of which DynamoDB cuts at 16 MB. */
export const MAX_FIRST_LOOK = 2 * MAX_READ;

/** What one query reads at most, before it says that there is more (AWS, "Paginating table query results"). */
const MAX_QUERY = 1_048_576;

/** What the item of a record takes at most: the record, and what is noted beside it. */
const MAX_ITEM = MAX_RECORD + 10_000;

/** Bytes to a read unit (AWS, "DynamoDB read consistency"). */
const UNIT = { strongly: 4_096, eventually: 8_192 } as const;

/** One request's reading of records: how much of it there may still be, and until when. */
export class ReadBudget {
  readonly timeLimit: TimeLimit;
  /** Whether the records are wanted newest first. They are read in that order, so that what is left out is the end of the page. */
  readonly newestFirst: boolean;
  readonly #most: number;
  #left: number;
  #isCut = false;

  constructor(timeLimit: TimeLimit, newestFirst: boolean, most = MAX_READ) {
    this.timeLimit = timeLimit;
    this.newestFirst = newestFirst;
    this.#most = most;
    this.#left = most;
  }

  /** Whether something was left unread because there would have been too much of it. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** So many records may be read now, however large they are. */
  get records(): number {
    return Math.max(0, Math.floor((this.#left - MAX_QUERY) / MAX_ITEM));
  }

  /** Whether there may be another query. If not, the reading ends here. */
  mayQuery(): boolean {
    this.#isCut ||= this.#left < MAX_QUERY;
    return !this.#isCut;
  }

  /** How many of so many records may be asked for at once: at first all of a page, then as many as could be the largest. If none, the reading ends here. */
  mayRead(wanted: number): number {
    const most = this.#left === this.#most ? wanted : Math.min(wanted, this.records);
    this.#isCut ||= wanted > 0 && most === 0;
    return most;
  }

  /** Counts what was read, as DynamoDB charges for it. */
  spend(consumed: ConsumedCapacity | undefined, strongly: boolean): void {
    this.#left -= (consumed?.CapacityUnits ?? 0) * (strongly ? UNIT.strongly : UNIT.eventually);
  }
}
