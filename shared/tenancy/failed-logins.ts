import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Key, retry, type Table, TTL_ATTRIBUTE } from '#lists';
import type { RequestSession } from '#table';
import { loginFailureKey } from '#table/storage';
import { CLOCKS_DIFFER_MS } from '../clock.ts';

/** Failed logins with one app code from one network: their number and the time of the last one. They expire. */
export interface FailedLogins {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly lastAt: number;
}

/** How long failures are kept after the last one, in seconds. */
export const FAILURES_KEPT = 3_600;

const NONE: FailedLogins = { count: 0, lastAt: 0 };

/**
 * An attempt to authenticate. Its digest is the key, because neither the app code as typed nor the network belongs in
 * the table.
 */
export interface LoginAttempt {
  /** A login, or the signature of a webhook. They are counted separately, so that neither blocks the other. */
  readonly kind: 'login' | 'signature';
  readonly appCode: string;
  readonly network: string;
}

const keyOf = ({ kind, appCode, network }: LoginAttempt): Key =>
  loginFailureKey(
    createHash('sha256')
      .update(JSON.stringify([kind, appCode, network]))
      .digest('base64url'),
  );

/**
 * One strongly consistent `GetItem`. An expired item counts as deleted, because TTL deletes late. A failure in the
 * future was dated by another clock: it counts as of now, and is corrected with one `UpdateItem`
 * (`docs/decisions/0160-clocks.md`).
 */
export async function readFailedLogins(
  { tables: { environment: table }, now }: RequestSession,
  attempt: LoginAttempt,
): Promise<FailedLogins> {
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...keyOf(attempt) }, ConsistentRead: true }),
  );
  if (item === undefined || Number(item[TTL_ATTRIBUTE]) * 1000 <= now) return NONE;
  const [count, lastAt] = [Number(item.FAILURES), Number(item.AT)];
  if (lastAt <= now + CLOCKS_DIFFER_MS) return { count, lastAt };
  // Where this fails, another request has written meanwhile.
  await update(table, keyOf(attempt), DATE_ANEW, { now, expires: Math.ceil(now / 1000) + FAILURES_KEPT, seen: lastAt });
  return { count, lastAt: now };
}

/**
 * Counts a failure with one `ADD`, so that concurrent failures all count. It is written immediately and not staged,
 * because the failed request commits nothing. A retry after a lost reply may count twice, which is acceptable for
 * failures.
 * @param seconds how long it is kept
 * @throws TableUnavailable when it cannot be counted, so that uncounted attempts get no result
 */
export async function countFailedLogin(session: RequestSession, attempt: LoginAttempt, seconds: number): Promise<void> {
  const {
    tables: { environment: table },
    now,
  } = session;
  const key = keyOf(attempt);
  const expires = Math.ceil(now / 1000) + seconds;
  await retry(async () => {
    if (await update(table, key, ADD_ONE, { now, expires })) return;
    // The item has expired: restart the count, unless a concurrent failure has just done so.
    if (!(await update(table, key, BEGIN_ANEW, { now, expires }))) await update(table, key, ADD_ONE, { now, expires });
  }, session);
}

/** Resets the failures after a success. Best effort: they also expire. */
export const forgetFailedLogins = async (
  { tables: { environment: table }, now }: RequestSession,
  attempt: LoginAttempt,
): Promise<void> => {
  await update(table, keyOf(attempt), FORGET, { now, expires: Math.ceil(now / 1000) }).catch(() => undefined);
};

interface Change {
  readonly text: string;
  readonly condition: string;
  /** The number of failures in `text`. */
  readonly count?: number;
}

const ADD_ONE: Change = {
  text: 'SET #at = :now, #ttl = :expires ADD #failures :count',
  condition: 'attribute_not_exists(#ttl) OR #ttl > :seconds',
  count: 1,
};
const BEGIN_ANEW: Change = {
  text: 'SET #at = :now, #ttl = :expires, #failures = :count',
  condition: '#ttl <= :seconds',
  count: 1,
};
const FORGET: Change = {
  text: 'SET #at = :now, #ttl = :expires, #failures = :count',
  condition: '#ttl > :seconds',
  count: 0,
};
const DATE_ANEW: Change = { text: 'SET #at = :now, #ttl = :expires', condition: '#at = :seen AND #ttl > :seconds' };

/** @returns whether the condition held */
async function update(
  table: Table,
  key: Key,
  change: Change,
  { now, expires, seen }: { readonly now: number; readonly expires: number; readonly seen?: number },
): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...key },
    UpdateExpression: change.text,
    ConditionExpression: change.condition,
    ExpressionAttributeNames: {
      '#at': 'AT',
      '#ttl': TTL_ATTRIBUTE,
      ...(change.count === undefined ? {} : { '#failures': 'FAILURES' }),
    },
    ExpressionAttributeValues: {
      ':now': now,
      ':seconds': Math.floor(now / 1000),
      ':expires': expires,
      ...(change.count === undefined ? {} : { ':count': change.count }),
      ...(seen === undefined ? {} : { ':seen': seen }),
    },
  });
  try {
    await table.client.send(command);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
