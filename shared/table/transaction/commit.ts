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
 * Commits pending writes, with the retries that the SDK does not make:
 *
 *     send ── committed ──────────────────────────────▶ done
 *       ├── condition failed ── by this very put ─────▶ done
 *       │                    └─ by anything else ─────▶ the write's `onConditionFailed`
 *       ├── conflict, throttling ── time left ────────▶ send again, after a random wait
 *       ├── no reply ── time left ────────────────────▶ send again: same token, same bytes
 *       └── no time left ─────────────────────────────▶ TableUnavailable
 *
 * All attempts of a transaction have the same `ClientRequestToken`, so DynamoDB answers a repeated one with success. A single put has no token:
 * it writes an id to `WRITE_ID`, and if its condition fails because of an item with that id, an earlier attempt was successful.
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
 * Only errors from DynamoDB about the request itself say that the write did not happen. With any other error, such as a reply that cannot be
 * parsed, the outcome is unknown.
 */
function uncertain(error: unknown): never {
  const isCertain =
    error instanceof TableUnavailable || (error instanceof DynamoDBServiceException && error.$fault === 'client');
  throw isCertain ? error : new TableUnavailable('it is not known whether the write happened', { cause: error });
}

/**
 * A single put needs no transaction, at half the price: a retry recognizes its own item, which nobody else changes so soon after its creation.
 * An update or delete could not tell its own write from a later one of another request.
 * @returns the error of a failed condition
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

/** @returns the error of the first write whose condition failed */
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

/** The error of the first refused write; undefined when the transaction was cancelled for transient reasons. */
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

/** @throws any error that is not about the size of an item */
function tooLarge(error: unknown): ItemTooLarge {
  if (error instanceof Error && error.name === 'ValidationException' && isSizeMessage(error.message)) {
    return new ItemTooLarge('an item is too large', { cause: error });
  }
  throw error;
}

const isSizeMessage = (message: string | undefined): boolean =>
  /size.*exceed|exceed.*size|too large/i.test(message ?? '');
