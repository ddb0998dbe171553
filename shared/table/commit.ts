import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { exactNumber, type Table } from './client.ts';
import { ItemTooLarge, TableUnavailable } from './errors.ts';
import { conditionOf, putRequest, updateRequest } from './expressions.ts';
import { WRITE_ID } from './schema.ts';
import type { Item, StagedWrite } from './staged.ts';

/**
 * The one place that writes. What the SDK does not do itself is done here:
 *
 *     send ── committed ──────────────────────────────▶ done
 *       ├── condition failed ── by my own lost write ─▶ done
 *       │                    └─ by anything else ─────▶ the write's own refusal
 *       ├── conflict, throttling ── time left ────────▶ send again, after a random wait
 *       ├── no reply ── time left ────────────────────▶ send again: same token, same bytes
 *       └── no time left ─────────────────────────────▶ TableUnavailable
 *
 * A transaction carries one `ClientRequestToken` over all attempts, so DynamoDB itself answers a repeated one with success. A single
 * write has no token: it leaves its attempt's id in `WRITE_ID`, and a failed condition that finds that id has met its own write.
 */

const FIRST_WAIT = 25;
const LONGEST_WAIT = 400;

/** Commits all of `writes` or none of them. `deadline` in epoch milliseconds. */
export async function commit(table: Table, writes: readonly StagedWrite[], deadline: number): Promise<void> {
  if (writes.length === 0) return;
  const attempt = randomUUID();
  const send = isSingle(writes)
    ? () => sendSingle(table, writes[0], attempt)
    : () => sendTransaction(table, writes, attempt);
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      return await send();
    } catch (error) {
      const pause = wait * (0.5 + Math.random());
      if (!isWorthRepeating(error)) throw error;
      if (Date.now() + pause > deadline)
        throw new TableUnavailable('the table did not answer in time', { cause: error });
      await sleep(pause);
    }
  }
}

/** A delete leaves nothing behind to recognise its own write by, so it always goes as a transaction. */
const isSingle = (writes: readonly StagedWrite[]): writes is readonly [Exclude<StagedWrite, { kind: 'delete' }>] =>
  writes.length === 1 && writes[0]?.kind !== 'delete';

async function sendSingle(
  table: Table,
  write: Exclude<StagedWrite, { kind: 'delete' }>,
  attempt: string,
): Promise<void> {
  const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  const command =
    write.kind === 'put'
      ? new PutCommand({ ...putRequest(table.name, write, attempt), ...returned })
      : new UpdateCommand({ ...updateRequest(table.name, write, attempt), ...returned });
  try {
    await table.client.send(command as PutCommand);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw asTooLarge(error);
    const found = itemOf(error.Item);
    if (found?.[WRITE_ID] !== attempt) throw write.refuse(found);
  }
}

async function sendTransaction(table: Table, writes: readonly StagedWrite[], attempt: string): Promise<void> {
  const command = new TransactWriteCommand({
    ClientRequestToken: attempt,
    TransactItems: writes.map((write) => transactItem(table.name, write, attempt)),
  });
  try {
    await table.client.send(command);
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw asTooLarge(error);
    throw refusalOf(error.CancellationReasons ?? [], writes) ?? error;
  }
}

function transactItem(tableName: string, write: StagedWrite, attempt: string) {
  const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  switch (write.kind) {
    case 'put':
      return { Put: { ...putRequest(tableName, write, attempt), ...returned } };
    case 'update':
      return { Update: { ...updateRequest(tableName, write, attempt), ...returned } };
    case 'delete':
      return { Delete: { TableName: tableName, Key: { ...write.key }, ...conditionOf(write.expect), ...returned } };
  }
}

/** The first refused write's own error; none when the transaction was cancelled for a passing reason. */
function refusalOf(reasons: readonly CancellationReason[], writes: readonly StagedWrite[]): Error | undefined {
  for (const [index, reason] of reasons.entries()) {
    if (reason.Code === 'ConditionalCheckFailed') {
      return writes[index]?.refuse(itemOf(reason.Item));
    }
    if (reason.Code === 'ValidationError' && isSizeMessage(reason.Message))
      return new ItemTooLarge('an item is too large');
  }
  return undefined;
}

/** Errors carry the item as DynamoDB sent it: the document client translates answers only. */
const itemOf = (raw: Record<string, AttributeValue> | undefined): Item | undefined =>
  raw === undefined ? undefined : unmarshall(raw, { wrapNumbers: exactNumber });

const asTooLarge = (error: unknown): unknown =>
  error instanceof Error && error.name === 'ValidationException' && isSizeMessage(error.message)
    ? new ItemTooLarge('an item is too large', { cause: error })
    : error;

const isSizeMessage = (message: string | undefined): boolean =>
  /size.*exceed|exceed.*size|too large/i.test(message ?? '');

const PASSING_REASONS = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Errors after which the write either did not happen, or may have happened and can be sent again unchanged. */
function isWorthRepeating(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).every((reason) => PASSING_REASONS.has(reason.Code ?? 'None'));
  }
  const { $metadata: metadata, $fault: fault } = error as {
    $metadata?: { httpStatusCode?: number };
    $fault?: 'client' | 'server';
  };
  if (
    /Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded|TransactionConflict|TransactionInProgress/.test(
      error.name,
    )
  )
    return true;
  if (fault === 'server' || (metadata?.httpStatusCode ?? 0) >= 500) return true;
  return /TimeoutError|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|NetworkingError|socket hang up/i.test(
    `${error.name} ${(error as { code?: string }).code ?? ''} ${error.message}`,
  );
}
