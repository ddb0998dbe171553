import { randomUUID } from 'node:crypto';
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { ItemTooLarge, TableUnavailable, Unexpected } from '../errors.ts';
import { type Item, type Key, VERSION, WRITE_ID } from '../schema.ts';
import {
  CONFLICT,
  countingUnits,
  itemOf,
  type KnownItems,
  retry,
  type Table,
  type TimeLimit,
  unitsOf,
  WAITS,
  type Waits,
} from '../table.ts';
import { Contended, type Contention, isConflict } from './contention.ts';
import { type PendingWrite, putRequest, RETURNED, transactItem } from './pending-write.ts';

/**
 * Commits pending writes, with the retries that the SDK does not make:
 *
 *     send ── committed ──────────────────────────────▶ done
 *       ├── condition failed ── by this very commit ──▶ done
 *       │                    ├─ by an item in another state than expected ──▶ another transaction (`unit-of-work.ts`)
 *       │                    └─ by anything else ─────▶ the write's `onConditionFailed`
 *       ├── conflict, throttling ── time left ────────▶ send again, after a random wait (`contention.ts`)
 *       ├── no reply ── time left ────────────────────▶ send again: same token, same bytes
 *       └── no time left ─────────────────────────────▶ TableUnavailable
 *
 * A commit that was carried out although no reply came is recognized in two ways. All attempts of a transaction have
 * the same `ClientRequestToken`, so DynamoDB returns success for a repeated one, for as long as it remembers the token:
 * ten minutes, and an embedded one until it is restarted. And every attempt writes an id to `WRITE_ID` of its items, so
 * that a condition that fails because of an item with that id shows that an earlier attempt was carried out. A single
 * put has no token and needs none. A transaction for another state has a token of its own and the same `WRITE_ID`: the
 * first one may be carried out late, and is recognized then.
 */

/** Until when to send writes. */
export interface Sending extends TimeLimit {
  /**
   * Called where DynamoDB has not responded to an attempt: it may be carried out later, whatever the outcome of the
   * others.
   */
  readonly onNoResponse?: () => void;
  /** How often to try where others write the same items. Default: until the deadline. */
  readonly contention?: Contention;
}

/** More writes than these are in all stripes of their list (`bits.ts`), and conflict with most transactions. */
const MANY = 50;

/**
 * Such transactions wait longer, in milliseconds. A refused one harms no other, so what counts is how many attempts
 * there are while one of 15 ms is under way: with 16 writers less than one (`npm run bench -- pages`).
 */
const LONG_WAITS: Waits = { first: 250, longest: 1_000 };

/** Waits of other writes: one that conflicts until its deadline is sent some 25 times. */
const USUAL_WAITS: Waits = { ...WAITS, longest: 800 };

/** What is known about some writes. */
interface Committing {
  /** For `WRITE_ID` of their items. */
  readonly writeId: string;
  /** The items that they change or replace. */
  readonly known: KnownItems;
}

/** Commits all of `writes` or none of them. */
export async function commit(
  table: Table,
  writes: readonly PendingWrite[],
  sending: Sending,
  { writeId, known }: Committing,
): Promise<void> {
  if (writes.length === 0) return;
  const { contention } = sending;
  const units = unitsOf(writes, known);
  const send = sender(
    table,
    writes.map((write) => stamped(write, writeId)),
  );
  const attempt = async (): Promise<Refused | undefined> => {
    try {
      await countingUnits(table, units, send());
      return undefined;
    } catch (error) {
      if (!isResponse(error)) {
        sending.onNoResponse?.();
        contention?.noteNoResponse();
      }
      return refusedBy(error, writes, writeId);
    }
  };
  const beforeWait = (error: unknown, pause: number) => {
    if (isConflict(error)) contention?.meet(conflictingIn(error, writes), error, pause);
  };
  const waits = writes.length > MANY ? LONG_WAITS : USUAL_WAITS;
  const refused = await retry(attempt, sending, waits, beforeWait).catch(uncertain);
  if (refused === undefined) return;
  contention?.noteMet(refused.keys);
  throw refused.refusal;
}

/**
 * Sends writes, with one token for all attempts. A single put needs no transaction, at half the price. An update or
 * delete could not tell its own write from a later one of another request.
 */
function sender(table: Table, writes: readonly PendingWrite[]): () => Promise<object> {
  const [write, ...others] = writes;
  if (write?.kind === 'put' && others.length === 0)
    return () => table.client.send(new PutCommand({ ...putRequest(table.name, write), ...RETURNED }));
  const ClientRequestToken = randomUUID();
  const TransactItems = writes.map((each) => transactItem(table.name, each));
  return () => table.client.send(new TransactWriteCommand({ ClientRequestToken, TransactItems }));
}

/** Writes that DynamoDB refused. */
interface Refused {
  readonly refusal: Error;
  /** Keys of the items by which conditions failed. */
  readonly keys: readonly Key[];
}

/**
 * Whether an error is DynamoDB's own response to the only request that the SDK has sent: it cannot be carried out
 * later. A repeated request follows one without a response.
 */
export const isResponse = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException &&
  error.$fault === 'client' &&
  error.name !== 'TransactionInProgressException' &&
  (error.$metadata.attempts ?? 1) === 1;

/**
 * Only errors from DynamoDB about the request itself show that the write did not happen. With any other error, such as
 * a reply that cannot be parsed, the outcome is unknown.
 */
function uncertain(error: unknown): never {
  const isCertain =
    error instanceof TableUnavailable ||
    error instanceof Contended ||
    (error instanceof DynamoDBServiceException && error.$fault === 'client');
  throw isCertain ? error : new TableUnavailable('it is not known whether the write happened', { cause: error });
}

/**
 * The write with the id of the commit, where a repeated attempt would be refused by its item: a put on a condition, and
 * a change of a record's own fields, whose condition is on the version. Changes of counters and sets have no id: it
 * would overwrite that of a change.
 */
function stamped(write: PendingWrite, writeId: string): PendingWrite {
  if (write.kind === 'put' && Object.keys(write.condition).length > 0)
    return { ...write, item: { ...write.item, [WRITE_ID]: writeId } };
  return write.kind === 'update' && VERSION in write.set
    ? { ...write, set: { ...write.set, [WRITE_ID]: writeId } }
    : write;
}

/**
 * Why writes were refused.
 * @returns undefined where an earlier attempt of the same commit was carried out
 * @throws the error, if it does not refuse any of them
 */
function refusedBy(error: unknown, writes: readonly PendingWrite[], writeId: string): Refused | undefined {
  const reasons = reasonsIn(error);
  const failed = failedIn(reasons, writes);
  if (failed.some(({ write, found }) => isOwn(write, found, writeId))) return undefined;
  const isTooLarge = reasons.some(({ Code, Message }) => Code === 'ValidationError' && isSizeMessage(Message));
  const refusal =
    refusalOf(failed) ?? (isTooLarge ? new ItemTooLarge('an item is too large', { cause: error }) : undefined);
  if (refusal === undefined) throw error;
  return { refusal, keys: failed.map(({ write }) => write.key) };
}

/** The reasons of each write, in a transaction or alone. */
function reasonsIn(error: unknown): readonly CancellationReason[] {
  if (error instanceof TransactionCanceledException) return error.CancellationReasons ?? [];
  if (error instanceof ConditionalCheckFailedException) return [{ Code: 'ConditionalCheckFailed', Item: error.Item }];
  if (!(error instanceof Error) || error.name !== 'ValidationException') return [];
  return [{ Code: 'ValidationError', Message: error.message }];
}

/** Whether the item by which a condition failed was written by an earlier attempt of the same commit. */
const isOwn = (write: PendingWrite, found: Item | undefined, writeId: string): boolean =>
  found !== undefined && (found[WRITE_ID] === writeId || (write.kind === 'put' && (write.isOwn?.(found) ?? false)));

interface Failed {
  readonly write: PendingWrite;
  readonly found: Item | undefined;
}

/** The writes whose conditions failed, each with the item by which it did. */
const failedIn = (reasons: readonly CancellationReason[], writes: readonly PendingWrite[]): Failed[] =>
  writes.flatMap((write, index) => {
    const reason = reasons[index];
    return reason?.Code === 'ConditionalCheckFailed' ? [{ write, found: itemOf(reason.Item) }] : [];
  });

/** The keys of the writes that met another transaction. */
const conflictingIn = (error: unknown, writes: readonly PendingWrite[]): readonly Key[] =>
  error instanceof TransactionCanceledException
    ? writes.filter((_, index) => error.CancellationReasons?.[index]?.Code === CONFLICT).map(({ key }) => key)
    : writes.map(({ key }) => key);

/** The error of the first refused write. An unknown outcome precedes a refusal, and both an unexpected state. */
function refusalOf(failed: readonly Failed[]): Error | undefined {
  const errors = failed.map(({ write, found }) => write.onConditionFailed(found));
  return (
    errors.find((error) => error instanceof TableUnavailable) ??
    errors.find((error) => !(error instanceof Unexpected)) ??
    errors[0]
  );
}

const isSizeMessage = (message = ''): boolean =>
  (/size/i.test(message) && /exceed/i.test(message)) || /too large/i.test(message);
