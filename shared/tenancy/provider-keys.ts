import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Condition, type Item, type Key, schema, type Table, updateRequest } from '@custodia/counted-lists';
import { type Tenant, tenantKey } from '#table';

/** What all containers know of the keys of an identity provider. Times are in epoch milliseconds. */
interface StoredProviderKeys {
  /** When somebody last began to fetch them. */
  readonly attempted_at: number;
  /** How that ended: `fetched`, or a word that says why not. Absent: it is under way, or was cut off. */
  readonly outcome?: string;
  /** JSON, as it was last fetched. */
  readonly keys?: string;
  readonly fetched_at?: number;
}

/** How long the item stays after the last attempt, in seconds. */
const KEPT = 86_400;

/**
 * The item of an identity provider's keys. It is written at once, because it holds whatever becomes of the request.
 * Whoever writes it says whose tokens are good: only the function that exchanges tokens may.
 */
export class ProviderKeyStore {
  readonly #tenant: Tenant;
  readonly #table: Table;
  readonly #key: Key;
  #found: Item | undefined;

  constructor(tenant: Tenant, providerId: string) {
    this.#tenant = tenant;
    this.#table = tenant.session.tables.of(tenant.id);
    this.#key = tenantKey(tenant.id, 'PROVIDER_KEYS', providerId);
  }

  /** One strongly consistent `GetItem`: what another container has just fetched is not fetched again. */
  async read(): Promise<StoredProviderKeys | undefined> {
    const { client, name } = this.#table;
    const command = new GetCommand({ TableName: name, Key: { ...this.#key }, ConsistentRead: true });
    this.#found = (await client.send(command)).Item;
    // Written by this store only.
    return this.#found as unknown as StoredProviderKeys | undefined;
  }

  /**
   * Claims the next attempt: one `UpdateItem`.
   * @returns whether nobody else has since {@link read}
   */
  begin(now: number): Promise<boolean> {
    const { attempted_at } = this.#found ?? {};
    return this.#update({ attempted_at: now }, { equals: { attempted_at } }, ['outcome']);
  }

  /** Stores how the attempt of this time ended, unless another one has begun since. */
  async end(attemptedAt: number, how: Pick<StoredProviderKeys, 'outcome' | 'keys' | 'fetched_at'>): Promise<void> {
    await this.#update(how, { equals: { attempted_at: attemptedAt } });
  }

  async #update(set: Item, condition: Condition, remove: readonly string[] = []): Promise<boolean> {
    const { client, name } = this.#table;
    const expires = Math.ceil(this.#tenant.serverTime / 1_000) + KEPT;
    const change = { key: this.#key, set: { ...set, [schema.TTL]: expires }, remove, condition };
    try {
      await client.send(new UpdateCommand(updateRequest(name, change)));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}
