import { Feed, type Item, type Key, type Table } from '@custodia/counted-lists';
import type { TenantId } from './keys.ts';
import { tenantPartition } from './keys.ts';
import { toRecord } from './repository/entity.ts';
import { type JournalEvent, journalEntity } from './repository/journal.ts';
import type { RequestSession } from './session/request-session.ts';
import type { Tenant } from './tenant.ts';

/** Reads a tenant's journal in order: the events of changes of its records. */
export class JournalReader {
  readonly #feed: Feed;
  readonly #session: RequestSession;

  constructor({ id, session }: Tenant) {
    const { name, createdAt, retentionDays = 0 } = journalEntity;
    const partition = tenantPartition(id, name);
    this.#session = session;
    this.#feed = new Feed(session.tables.of(id), { partition, createdAt, retentionDays, filters: [], ordered: true });
  }

  /** The key of the item that says how far a tenant's journal is. */
  static endKeyOf(tenant: TenantId): Key {
    return Feed.keyOf(tenantPartition(tenant, journalEntity.name));
  }

  /** What that item says: the journal's next number, and its generation. @param item none: there is no event yet */
  static endIn(table: Table, item: Item = {}) {
    return Feed.placeIn(table, item);
  }

  /**
   * Up to `limit` events from a number on, of those that are accepted.
   * @throws FeedExpired
   */
  async read({ from, limit, accepts = () => true }: JournalQuery) {
    const { items, ...page } = await this.#feed.read({
      from,
      limit,
      accepts: (item) => accepts(toRecord(journalEntity, item)),
      timeLimit: this.#session,
    });
    const events: readonly JournalEvent[] = items.map((item) => toRecord(journalEntity, item));
    return { events, ...page };
  }

  /** The number from which to follow the journal for changes that are committed from now on. */
  end() {
    return this.#feed.end(this.#session);
  }

  /** Counts the events from each of these numbers on. Two round trips; the first runs while the numbers are read. */
  countFrom(reading: Promise<readonly number[]>) {
    return this.#feed.countFrom(this.#session.clock, reading);
  }

  /** Ends what consumers know of it: records have changed without events. */
  raiseGeneration(): Promise<void> {
    return this.#feed.raiseGeneration();
  }
}

interface JournalQuery {
  readonly from: number | 'oldest';
  readonly limit: number;
  readonly accepts?: (event: JournalEvent) => boolean;
}
