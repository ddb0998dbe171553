import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Key, retry, schema, type Table } from '@custodia/counted-lists';
import type { RequestSession } from '#table';
import { CLOCKS_DIFFER_MS } from '../clock.ts';
import { loginFailureKey } from './keys.ts';

/** Failed logins with one app code from one network: their number and the time of the last one. They expire. */
interface Failures {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly lastAt: number;
}

/** How long failures are kept after the last one, in seconds. */
const KEPT = 3_600;

const NONE: Failures = { count: 0, lastAt: 0 };

interface Attempt {
  /** A login, or the signature of a webhook. They are counted separately, so that neither blocks the other. */
  readonly kind: 'login' | 'signature';
  readonly appCode: string;
  readonly network: string;
}

/** The digest of an attempt is the key, because neither the app code as typed nor the network belongs in the table. */
const keyOf = ({ kind, appCode, network }: Attempt): Key =>
  loginFailureKey(
    createHash('sha256')
      .update(JSON.stringify([kind, appCode, network]))
      .digest('base64url'),
  );

/** An attempt to authenticate, and the earlier failures with the same app code from the same network. */
export class LoginAttempt {
  readonly kind: Attempt['kind'];
  readonly #session: RequestSession;
  readonly #table: Table;
  readonly #key: Key;

  constructor(session: RequestSession, attempt: Attempt) {
    this.kind = attempt.kind;
    this.#session = session;
    this.#table = session.tables.environment;
    this.#key = keyOf(attempt);
  }

  /**
   * The earlier failures: one strongly consistent `GetItem`. An expired item counts as deleted, because TTL deletes
   * late. A failure in the future was dated by another clock: it counts as of now, and is corrected with one
   * `UpdateItem` (`docs/decisions/0160-clocks.md`).
   */
  async failures(): Promise<Failures> {
    const { now } = this.#session;
    const { client, name } = this.#table;
    const { Item: item } = await client.send(
      new GetCommand({ TableName: name, Key: { ...this.#key }, ConsistentRead: true }),
    );
    if (item === undefined || Number(item[schema.TTL]) * 1000 <= now) return NONE;
    const [count, lastAt] = [Number(item.FAILURES), Number(item.AT)];
    if (lastAt <= now + CLOCKS_DIFFER_MS) return { count, lastAt };
    // If this fails, another request has written meanwhile.
    await this.#update(DATE_ANEW, KEPT, lastAt);
    return { count, lastAt: now };
  }

  /**
   * Counts this attempt as a failure with one `ADD`, so that concurrent failures all count. It is written immediately
   * and not staged, because the failed request commits nothing. A retry after a lost reply may count twice, which is
   * acceptable for failures.
   * @throws TableUnavailable when it cannot be counted, so that uncounted attempts get no result
   */
  async countFailure(): Promise<void> {
    await retry(async () => {
      if (await this.#update(ADD_ONE, KEPT)) return;
      // The item has expired: restart the count, unless a concurrent failure has just done so.
      if (!(await this.#update(BEGIN_ANEW, KEPT))) await this.#update(ADD_ONE, KEPT);
    }, this.#session);
  }

  /** Resets the failures after a success. Best effort: they also expire. */
  async forgetFailures(): Promise<void> {
    await this.#update(FORGET, 0).catch(() => undefined);
  }

  /**
   * @param seconds how long the item is kept
   * @returns whether the condition held
   */
  async #update(change: Change, seconds: number, seen?: number): Promise<boolean> {
    const { now } = this.#session;
    const command = new UpdateCommand({
      TableName: this.#table.name,
      Key: { ...this.#key },
      UpdateExpression: change.text,
      ConditionExpression: change.condition,
      ExpressionAttributeNames: {
        '#at': 'AT',
        '#ttl': schema.TTL,
        ...(change.count === undefined ? {} : { '#failures': 'FAILURES' }),
      },
      ExpressionAttributeValues: {
        ':now': now,
        ':seconds': Math.floor(now / 1000),
        ':expires': Math.ceil(now / 1000) + seconds,
        ...(change.count === undefined ? {} : { ':count': change.count }),
        ...(seen === undefined ? {} : { ':seen': seen }),
      },
    });
    try {
      await this.#table.client.send(command);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}

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
