import { randomUUID } from 'node:crypto';
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { itemOf, type Table } from '../connection/client.ts';
import { ItemTooLarge, TableUnavailable } from '../errors.ts';
import { WRITE_ID } from '../schema.ts';
import { changesNothing, checkRequest, conditionOf, putRequest, updateRequest } from './expressions.ts';
import type { PendingPut, PendingWrite } from './pending-write.ts';
import { retry, type TimeLimit } from './retry.ts';

/**
 * Commits staged work. What the SDK does not do itself is done here:
 *
 *     send ── committed ──────────────────────────────▶ done
 *       ├── condition failed ── by my own lost write ─▶ done
 *       │                    └─ by anything else ─────▶ the write's own refusal
 *       ├── conflict, throttling ── time left ────────▶ send again, after a random wait
 *       ├── no reply ── time left ────────────────────▶ send again: same token, same bytes
 *       └── no time left ─────────────────────────────▶ TableUnavailable
 *
 * A transaction carries one `ClientRequestToken` over all attempts, so DynamoDB itself answers a repeated one with success. A put
 * that goes alone has no token: it leaves its attempt's id in `WRITE_ID`, and a failed condition that finds that id has met its own
 * write.
 */

/** Commits all of `writes` or none of them. */
export async function commit(table: Table, writes: readonly PendingWrite[], timeLimit: TimeLimit): Promise<void> {
  const [write, ...others] = writes;
  if (write === undefined) return;
  const attempt = randomUUID();
  const send =
    write.kind === 'put' && others.length === 0
      ? () => sendPut(table, write, attempt)
      : () => sendTransaction(table, writes, attempt);
  const refusal = await retry(send, timeLimit).catch(uncertain);
  if (refusal !== undefined) throw refusal;
}

/**
 * What is neither DynamoDB's word nor an error that passes, a reply that cannot be read for one, does not say whether the write
 * happened.
 */
function uncertain(error: unknown): never {
  const isSaid =
    error instanceof TableUnavailable || (error instanceof DynamoDBServiceException && error.$fault === 'client');
  throw isSaid ? error : new TableUnavailable('it is not known whether the write happened', { cause: error });
}

/**
 * A new item may go alone, at half the price of a transaction: under a fresh key nobody else can have changed it before its own
 * write is met again. A change or a deletion that met somebody else's later one could not tell whether it happened.
 * @returns the write's refusal
 */
async function sendPut(table: Table, write: PendingPut, attempt: string): Promise<Error | undefined> {
  try {
    await table.client.send(
      new PutCommand({
        ...putRequest(table.name, { ...write, item: { ...write.item, [WRITE_ID]: attempt } }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) return tooLarge(error);
    const found = itemOf(error.Item);
    return found?.[WRITE_ID] === attempt ? undefined : write.onConditionFailed(found);
  }
}

/** @returns the refusal of the first write that was refused */
async function sendTransaction(
  table: Table,
  writes: readonly PendingWrite[],
  token: string,
): Promise<Error | undefined> {
  try {
    await table.client.send(
      new TransactWriteCommand({
        ClientRequestToken: token,
        TransactItems: writes.map((write) => transactItem(table.name, write)),
      }),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) return tooLarge(error);
    const refusal = refusalOf(error.CancellationReasons ?? [], writes);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

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

/** The first refused write's own error; none when the transaction was cancelled for a passing reason. */
function refusalOf(reasons: readonly CancellationReason[], writes: readonly PendingWrite[]): Error | undefined {
  for (const [index, reason] of reasons.entries()) {
    if (reason.Code === 'ConditionalCheckFailed') {
      return writes[index]?.onConditionFailed(itemOf(reason.Item));
    }
    if (reason.Code === 'ValidationError' && isSizeMessage(reason.Message))
      return new ItemTooLarge('an item is too large');
  }
  return undefined;
}

/** The error as a refusal, if it is about size; any other is thrown on. */
function tooLarge(error: unknown): ItemTooLarge {
  if (error instanceof Error && error.name === 'ValidationException' && isSizeMessage(error.message)) {
    return new ItemTooLarge('an item is too large', { cause: error });
  }
  throw error;
}

const isSizeMessage = (message: string | undefined): boolean =>
  /size.*exceed|exceed.*size|too large/i.test(message ?? '');
