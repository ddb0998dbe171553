import { randomUUID } from 'node:crypto';
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemOf, type Table } from './client.ts';
import { ItemTooLarge } from './errors.ts';
import { conditionOf, putRequest, updateRequest } from './expressions.ts';
import { persist } from './persist.ts';
import { WRITE_ID } from './schema.ts';
import type { StagedWrite } from './staged.ts';

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

/** Commits all of `writes` or none of them. `deadline` in epoch milliseconds. */
export async function commit(table: Table, writes: readonly StagedWrite[], deadline: number): Promise<void> {
  if (writes.length === 0) return;
  const attempt = randomUUID();
  const send = isSingle(writes)
    ? () => sendSingle(table, writes[0], attempt)
    : () => sendTransaction(table, writes, attempt);
  await persist(send, deadline);
}

type SingleWrite = Exclude<StagedWrite, { kind: 'delete' }>;

/**
 * Whether a write may go alone, at half the price of a transaction: if it can be carried out twice without harm. A delete leaves
 * nothing behind to recognise its own write by, and adding twice is adding double.
 */
const isSingle = (writes: readonly StagedWrite[]): writes is readonly [SingleWrite] => {
  const [write, ...others] = writes;
  if (write === undefined || others.length > 0) return false;
  return write.kind === 'put' || (write.kind === 'update' && Object.keys(write.add).length === 0);
};

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

const asTooLarge = (error: unknown): unknown =>
  error instanceof Error && error.name === 'ValidationException' && isSizeMessage(error.message)
    ? new ItemTooLarge('an item is too large', { cause: error })
    : error;

const isSizeMessage = (message: string | undefined): boolean =>
  /size.*exceed|exceed.*size|too large/i.test(message ?? '');
