import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../connection/client.ts';
import { type Key, loginFailureKey } from '../keys.ts';
import { TTL_ATTRIBUTE } from '../schema.ts';
import type { Session } from '../session.ts';
import { retry } from '../transaction/retry.ts';

/** Failed logins of one app code from one network: a count and the time of the last one. They are forgotten after a while. */
export interface FailedLogins {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly lastAt: number;
}

const NONE: FailedLogins = { count: 0, lastAt: 0 };

/** Who tries to log in as whom, and how. Kept as a digest: neither what they type nor where they are belongs in the table. */
export interface LoginAttempt {
  /** By logging in with it, or by signing a webhook with it. The two are counted apart: neither shuts out the other. */
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

/** One strongly consistent `GetItem`. What has expired counts as gone, for TTL deletes late. */
export async function readFailedLogins({ table, now }: Session, attempt: LoginAttempt): Promise<FailedLogins> {
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...keyOf(attempt) }, ConsistentRead: true }),
  );
  if (item === undefined || Number(item[TTL_ATTRIBUTE]) * 1000 <= now) return NONE;
  return { count: Number(item.FAILURES), lastAt: Number(item.AT) };
}

/**
 * Counts a failure: one `UpdateItem` that adds, so that those made at the same time all count. It is written at once, not staged:
 * the request it belongs to commits nothing. An attempt whose reply was lost may count twice, at no one's cost but a guesser's.
 * @param seconds how long it is remembered
 * @throws TableUnavailable: what cannot be counted is not answered
 */
export async function countFailedLogin(session: Session, attempt: LoginAttempt, seconds: number): Promise<void> {
  const { table, now } = session;
  const key = keyOf(attempt);
  const expires = Math.ceil(now / 1000) + seconds;
  await retry(async () => {
    if (await update(table, key, ADD_ONE, { now, expires })) return;
    // What is there has expired: it is begun anew, unless another failure has just done so.
    if (!(await update(table, key, BEGIN_ANEW, { now, expires }))) await update(table, key, ADD_ONE, { now, expires });
  }, session);
}

/** Forgets the failures of somebody who has the secret after all. A failure to do so is ignored: they expire. */
export const forgetFailedLogins = async ({ table, now }: Session, attempt: LoginAttempt): Promise<void> => {
  await update(table, keyOf(attempt), FORGET, { now, expires: Math.ceil(now / 1000) }).catch(() => undefined);
};

interface Change {
  readonly text: string;
  readonly condition: string;
}

const ADD_ONE: Change = {
  text: 'SET #at = :now, #ttl = :expires ADD #failures :count',
  condition: 'attribute_not_exists(#ttl) OR #ttl > :seconds',
};
const BEGIN_ANEW: Change = {
  text: 'SET #at = :now, #ttl = :expires, #failures = :count',
  condition: '#ttl <= :seconds',
};
const FORGET: Change = { text: 'SET #at = :now, #ttl = :expires, #failures = :count', condition: '#ttl > :seconds' };

/** @returns whether the condition held */
async function update(
  table: Table,
  key: Key,
  change: Change,
  { now, expires }: { readonly now: number; readonly expires: number },
): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...key },
    UpdateExpression: change.text,
    ConditionExpression: change.condition,
    ExpressionAttributeNames: { '#at': 'AT', '#ttl': TTL_ATTRIBUTE, '#failures': 'FAILURES' },
    ExpressionAttributeValues: {
      ':now': now,
      ':seconds': Math.floor(now / 1000),
      ':expires': expires,
      ':count': change === FORGET ? 0 : 1,
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
