import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, retry, schema } from '@custodia/counted-lists';
import { StaleRead, type Tenant, tenantKey } from '#table';

/**
 * Counts by caller and day (UTC), so that only the 1st, 2nd, 4th, 8th … of a day leave an audit event. A container
 * whose clock is wrong counts under another day, and so leaves more events, never fewer.
 */

/** How long a day's count is kept, in seconds. */
const KEPT = 2 * 86_400;

/**
 * Counts a refused login, signature or escalation of a caller, so that concurrent refusals all count. A retry after a
 * lost reply may count twice.
 * @returns today's number
 */
export async function countRefusal(tenant: Tenant, what: string, callerId: string): Promise<number> {
  const counted = await countToday(tenant, keyOf(tenant, 'REFUSALS', what, callerId), 'REFUSALS');
  return Number(counted.REFUSALS);
}

/** Requests of a caller that could show protected fields of records of one type, on the day of the request. */
export class ReadCount {
  readonly #tenant: Tenant;
  readonly #key: Key;
  /** Today's number, with this request. */
  readonly reads: number;
  /** The number at the last event; 0: there was none today. */
  #audited: number;

  private constructor(tenant: Tenant, key: Key, counted: Item) {
    this.#tenant = tenant;
    this.#key = key;
    this.reads = Number(counted.READS ?? 0);
    this.#audited = auditedIn(counted);
  }

  /**
   * Counts such a request: one write unit, sent beside its work.
   * @throws TableUnavailable when it cannot be counted before the session's deadline
   */
  static async increment(tenant: Tenant, recordType: string, callerId: string): Promise<ReadCount> {
    const key = keyOf(tenant, 'READS', recordType, callerId);
    return new ReadCount(tenant, key, await retry(() => countToday(tenant, key, 'READS'), tenant.session));
  }

  /** Whether the read should leave an event: none was left since the latest of the day's 1st, 2nd, 4th, 8th … */
  get isEventDue(): boolean {
    return 2 ** Math.floor(Math.log2(this.reads)) > this.#audited;
  }

  /**
   * Stages that an event is left. Where another request has left one meanwhile, the operation runs again, and knows of
   * that one.
   */
  stageEventLeft(): void {
    const { id, session } = this.#tenant;
    session.changes.of(id).update(this.#key, {
      set: { AUDITED: this.reads },
      condition: { equals: { AUDITED: this.#audited === 0 ? undefined : this.#audited } },
      onConditionFailed: (found) => {
        this.#audited = auditedIn(found);
        return new StaleRead('another request has left the audit event');
      },
    });
  }
}

const auditedIn = ({ AUDITED: audited }: Item = {}): number => Number(audited ?? 0);

/**
 * `ORG#<tenant>#REFUSALS` / `<what>#<id of the caller>#2026-11-20` for refused logins, signatures and escalations;
 * `ORG#<tenant>#READS` / `Service#<id of the caller>#2026-11-20` for reads of credentials, by type of record.
 */
function keyOf({ id, session }: Tenant, counted: 'REFUSALS' | 'READS', what: string, callerId: string): Key {
  const day = new Date(session.now).toISOString().slice(0, 10);
  return tenantKey(id, counted, `${what}#${callerId}#${day}`);
}

async function countToday({ id, session }: Tenant, key: Key, attribute: 'REFUSALS' | 'READS'): Promise<Item> {
  const table = session.tables.of(id);
  const { Attributes } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...key },
      UpdateExpression: 'SET #ttl = :expires ADD #count :one',
      ExpressionAttributeNames: { '#ttl': schema.TTL, '#count': attribute },
      ExpressionAttributeValues: { ':expires': Math.ceil(session.now / 1000) + KEPT, ':one': 1 },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Attributes ?? {};
}
