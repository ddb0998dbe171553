import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { deduplicationKey, type Key, type TenantId } from '../keys.ts';
import { TTL_ATTRIBUTE } from '../schema.ts';
import type { Session } from '../session.ts';
import type { OnConditionFailed } from '../transaction/pending-write.ts';

/**
 * Things that happen once: an idempotency key of a request, an event id of a webhook. What happened is remembered in the very
 * transaction that makes it happen, so there is no state in which one is true without the other.
 */
export class DeduplicationStore<V extends object> {
  readonly #session: Session;
  readonly #tenant: TenantId;
  readonly #scope: string;

  /** @param scope whose ids these are: two integrations may use the same id for different things */
  constructor(session: Session, tenant: TenantId, scope: string) {
    this.#session = session;
    this.#tenant = tenant;
    this.#scope = scope;
  }

  /** What is remembered of an id, strongly consistent; nothing once it has expired, for TTL deletes late. */
  async recall(id: string): Promise<V | undefined> {
    const { now } = this.#session;
    const table = this.#session.tableOf(this.#tenant);
    const { Item: item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: { ...this.#key(id) }, ConsistentRead: true }),
    );
    return item === undefined || Number(item[TTL_ATTRIBUTE]) * 1000 <= now ? undefined : (item as unknown as V);
  }

  /**
   * Stages that an id is remembered for this many seconds.
   * @param onConditionFailed the error when another request has remembered it meanwhile
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
