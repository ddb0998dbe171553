import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, type OnConditionFailed, schema, type Table } from '@custodia/counted-lists';
import { keepNewest } from '../../memory.ts';
import { type TenantId, tenantKey } from '../keys.ts';
import type { RequestSession } from '../session/request-session.ts';

/** Ids that this container has stored or found, by key: the newest ones. */
const known = new Map<string, true>();
const KEPT_IDS = 1_000;

/**
 * Deduplicates by id: the idempotency key of a request, the event id of a webhook, an exchanged token. The id is stored
 * in the same transaction as the effect, so that there is never one without the other.
 */
export class DeduplicationStore<V extends object> {
  readonly #session: RequestSession;
  readonly #tenant: TenantId;
  readonly #scope: string;

  /** @param scope within which an id is used once: `REQUEST#<caller's id>` */
  constructor(session: RequestSession, tenant: TenantId, scope: string) {
    this.#session = session;
    this.#tenant = tenant;
    this.#scope = scope;
  }

  /** The value stored for an id, unless it has expired (TTL deletes late). Strongly consistent. */
  async recall(id: string): Promise<V | undefined> {
    const { now, batch } = this.#session;
    const table = this.#session.tables.of(this.#tenant);
    const ofBatch = batch?.shared.lookUp(table, id, (each) => this.#key(each), this.#session);
    const item = await (ofBatch ?? this.#read(table, id));
    if (item === undefined || Number(item[schema.TTL]) * 1000 <= now) return undefined;
    this.#note(id);
    return item as unknown as V;
  }

  async #read({ client, name }: Table, id: string): Promise<Item | undefined> {
    const Key = { ...this.#key(id) };
    return (await client.send(new GetCommand({ TableName: name, Key, ConsistentRead: true }))).Item;
  }

  /**
   * Whether this container has stored or found the id before, or looks it up with those of a batch. Then it is worth
   * waiting for {@link recall} before numbers of lists are allocated, which would have to be released. Only a hint:
   * another container may have stored the id, and this container's transaction may have been refused.
   */
  isProbablyKnown(id: string): boolean {
    return this.#session.batch !== undefined || known.has(this.#nameOf(id));
  }

  /**
   * Stages a value for an id, which is kept for the given seconds.
   * @param onConditionFailed the error when another request has stored the id meanwhile
   */
  remember(id: string, value: V, seconds: number, onConditionFailed: OnConditionFailed): void {
    const now = Math.floor(this.#session.now / 1000);
    const item = { ...this.#key(id), ...value, [schema.TTL]: now + seconds };
    this.#note(id);
    this.#session.changes.of(this.#tenant).put(item, onConditionFailed, { exists: false, expiredBefore: now + 1 });
  }

  #note(id: string): void {
    keepNewest(known, this.#nameOf(id), true, KEPT_IDS);
  }

  #nameOf(id: string): string {
    const { PK, SK } = this.#key(id);
    return `${PK} ${SK}`;
  }

  #key(id: string): Key {
    return tenantKey(this.#tenant, `ONCE#${this.#scope}`, id);
  }
}
