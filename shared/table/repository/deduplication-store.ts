import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { deduplicationKey, type Key, type TenantId } from '../keys.ts';
import { TTL_ATTRIBUTE } from '../schema.ts';
import type { Session } from '../session.ts';
import type { OnConditionFailed } from '../transaction/pending-write.ts';

/** The scope of the event ids that an integration has sent. */
export const eventsOf = (integrationId: string): string => `EVENT#${integrationId}`;
/** The scope of the idempotency keys that an integration has used. */
export const requestsOf = (integrationId: string): string => `REQUEST#${integrationId}`;

/**
 * Deduplicates by id: the idempotency key of a request, the event id of a webhook. The id is stored in the same transaction as the effect, so
 * that there is never one without the other.
 */
export class DeduplicationStore<V extends object> {
  readonly #session: Session;
  readonly #tenant: TenantId;
  readonly #scope: string;

  /** @param scope the owner of the ids: two integrations may use the same id for different requests */
  constructor(session: Session, tenant: TenantId, scope: string) {
    this.#session = session;
    this.#tenant = tenant;
    this.#scope = scope;
  }

  /** The value stored for an id, unless it has expired (TTL deletes late). Strongly consistent. */
  async recall(id: string): Promise<V | undefined> {
    const { now } = this.#session;
    const table = this.#session.tableOf(this.#tenant);
    const { Item: item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: { ...this.#key(id) }, ConsistentRead: true }),
    );
    return item === undefined || Number(item[TTL_ATTRIBUTE]) * 1000 <= now ? undefined : (item as unknown as V);
  }

  /**
   * Stages a value for an id, kept for so many seconds.
   * @param onConditionFailed the error when another request has stored the id meanwhile
   */
  remember(id: string, value: V, seconds: number, onConditionFailed: OnConditionFailed): void {
    const now = Math.floor(this.#session.now / 1000);
    const item = { ...this.#key(id), ...value, [TTL_ATTRIBUTE]: now + seconds };
    this.#session.unitOfWork(this.#tenant).put(item, onConditionFailed, { exists: false, expiredBefore: now + 1 });
  }

  #key(id: string): Key {
    return deduplicationKey(this.#tenant, this.#scope, id);
  }
}
