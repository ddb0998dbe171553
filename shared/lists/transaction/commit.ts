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
import { itemOf, type Table } from '../table.ts';
import type { TimeLimit } from '../time-limit.ts';
import { CONFLICT, Contended, type Contention, isConflict } from './contention.ts';
import { changesNothing, checkRequest, conditionOf, putRequest, updateRequest } from './expressions.ts';
import type { PendingPut, PendingWrite } from './pending-write.ts';
import { retry, WAITS, type Waits } from './retry.ts';
import { countingUnits, type KnownSizes, unitsOf } from './units.ts';

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

/** A transaction of more writes than these probably meets every other one of its list: it has items of all stripes (`bits.ts`). */
const MANY = 50;

/**
 * Such transactions wait longer, in milliseconds. A refused one harms no other, so what counts is how many attempts there are while one of 15 ms is
 * under way: with 16 writers less than one (`npm run bench -- pages`).
 */
const LONG_WAITS: Waits = { first: 250, longest: 1_000 };

/** Of other writes: what takes turns until its deadline is sent some 25 times. */
const USUAL_WAITS: Waits = { ...WAITS, longest: 800 };

/** A value for `WRITE_ID`: 60 random bits, the end of a UUID. `randomBytes` would take 2 % of a request's CPU time (`ids.ts`). */
export const newWriteId = (): string => randomUUID().slice(20);

/** What is known about some writes. */
interface Committing {
  /** For `WRITE_ID` of their items. */
  readonly writeId?: string;
  /** The sizes of the items that they change or replace. */
  readonly sizes?: KnownSizes;
}

/** Commits all of `writes` or none of them. */
export async function commit(
  table: Table,
  writes: readonly PendingWrite[],
  sending: Sending,
  { writeId = newWriteId(), sizes = new Map() }: Committing = {},
): Promise<void> {
  const [write, ...others] = writes;
  if (write === undefined) return;
  const units = unitsOf(writes, sizes);
  const stampedWrites = writes.map((each) => stamped(each, writeId));
  const token = randomUUID();
  const send =
    write.kind === 'put' && others.length === 0
      ? () => sendPut(table, stampedPut(write, writeId), { writeId, units })
      : () => sendTransaction(table, stampedWrites, { writeId, token, units });
  const { contention } = sending;
  const onNoResponse = () => {
    sending.onNoResponse?.();
    contention?.noteNoResponse();
  };
  const noting = () =>
    send().catch((error: unknown) => {
      if (!isResponse(error)) onNoResponse();
      throw error;
    });
  const beforeWait = (error: unknown, pause: number) => {
    if (isConflict(error)) contention?.meet(conflictingIn(error, writes), error, pause);
  };
  const waits = writes.length > MANY ? LONG_WAITS : USUAL_WAITS;
  const outcome = await retry(noting, sending, waits, beforeWait).catch(uncertain);
  if (outcome === undefined) return;
  if (!isResponse(outcome.response)) onNoResponse();
  contention?.noteMet(outcome.keys);
  throw outcome.refusal;
}

/** A write that DynamoDB refused. */
interface Refused {
  readonly refusal: Error;
  /** Of the items by which conditions failed. */
  readonly keys: readonly Key[];
  /** The error that reports it. */
  readonly response: unknown;
}

/**
 * Whether an error is DynamoDB's own response to the only request that the SDK has sent: it cannot be carried out
 * later. A repeated request follows one without a response.
 */
const isResponse = (error: unknown): boolean =>
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

/** The put with the id of the commit. */
const stampedPut = (write: PendingPut, writeId: string): PendingPut => ({
  ...write,
  item: { ...write.item, [WRITE_ID]: writeId },
});

/**
 * The write with the id of the commit, where a repeated attempt would be refused by its item: a put on a condition, and a change of a record's own
 * fields, whose condition is on the version. Changes of counters and sets have no id: it would overwrite that of a change.
 */
function stamped(write: PendingWrite, writeId: string): PendingWrite {
  if (write.kind === 'put') return Object.keys(write.condition).length === 0 ? write : stampedPut(write, writeId);
  return write.kind === 'update' && VERSION in write.set
    ? { ...write, set: { ...write.set, [WRITE_ID]: writeId } }
    : write;
}

/** Whether the item by which a condition failed was written by an earlier attempt of the same commit. */
const isOwn = (write: PendingWrite | undefined, found: Item | undefined, writeId: string): boolean =>
  found !== undefined && (found[WRITE_ID] === writeId || (write?.kind === 'put' && (write.isOwn?.(found) ?? false)));

/**
 * A single put needs no transaction, at half the price. An update or delete could not tell its own write from a later one of another request.
 * @returns the error of a failed condition
 */
async function sendPut(
  table: Table,
  write: PendingPut,
  { writeId, units }: { readonly writeId: string; readonly units: number },
): Promise<Refused | undefined> {
  try {
    const command = new PutCommand({
      ...putRequest(table.name, write),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await countingUnits(table, units, table.client.send(command));
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException))
      return { refusal: tooLarge(error), keys: [], response: error };
    const found = itemOf(error.Item);
    return isOwn(write, found, writeId)
      ? undefined
      : { refusal: write.onConditionFailed(found), keys: [write.key], response: error };
  }
}

/** @returns the error of the first write whose condition failed */
async function sendTransaction(
  table: Table,
  writes: readonly PendingWrite[],
  { writeId, token, units }: { readonly writeId: string; readonly token: string; readonly units: number },
): Promise<Refused | undefined> {
  try {
    const command = new TransactWriteCommand({
      ClientRequestToken: token,
      TransactItems: writes.map((write) => transactItem(table.name, write)),
    });
    await countingUnits(table, units, table.client.send(command));
    return undefined;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException))
      return { refusal: tooLarge(error), keys: [], response: error };
    const reasons = error.CancellationReasons ?? [];
    const failed = failedIn(reasons, writes);
    if (failed.some(({ write, found }) => isOwn(write, found, writeId))) return undefined;
    const refusal = refusalOf(failed) ?? sizeRefusalOf(reasons);
    if (refusal === undefined) throw error;
    return { refusal, keys: failed.map(({ write }) => write.key), response: error };
  }
}

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

/** The error of the first refused write; but an unknown outcome takes precedence over a refusal, and both over an unexpected state. */
function refusalOf(failed: readonly Failed[]): Error | undefined {
  const errors = failed.map(({ write, found }) => write.onConditionFailed(found));
  return (
    errors.find((error) => error instanceof TableUnavailable) ??
    errors.find((error) => !(error instanceof Unexpected)) ??
    errors[0]
  );
}

const sizeRefusalOf = (reasons: readonly CancellationReason[]): Error | undefined =>
  reasons.some(({ Code, Message }) => Code === 'ValidationError' && isSizeMessage(Message))
    ? new ItemTooLarge('an item is too large')
    : undefined;

function transactItem(tableName: string, write: PendingWrite) {
  const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  switch (write.kind) {
    case 'put':
      return { Put: { ...putRequest(tableName, write), ...returned } };
    case 'update':
      return changesNothing(write)
        ? { ConditionCheck: { ...checkRequest(tableName, write), ...returned } }
        : { Update: { ...updateRequest(tableName, write), ...returned } };
    case 'delete':
      return { Delete: { TableName: tableName, Key: { ...write.key }, ...conditionOf(write.condition), ...returned } };
  }
}

/** @throws any error that is not about the size of an item */
function tooLarge(error: unknown): ItemTooLarge {
  if (error instanceof Error && error.name === 'ValidationException' && isSizeMessage(error.message)) {
    return new ItemTooLarge('an item is too large', { cause: error });
  }
  throw error;
}

const isSizeMessage = (message = ''): boolean =>
  (/size/i.test(message) && /exceed/i.test(message)) || /too large/i.test(message);
