import { feed } from '@custodia/counted-lists';
import { recordsPartition } from './keys.ts';
import { toRecord } from './repository/entity.ts';
import { type JournalEvent, journalEntity } from './repository/journal.ts';
import type { Tenant } from './tenant.ts';

/** Reads a tenant's journal in order: the events of changes of its records. */
export class JournalReader {
  readonly #tenant: Tenant;
  readonly #list: feed.FollowedList;

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
    const { name, createdAt, retentionDays = 0 } = journalEntity;
    const partition = recordsPartition(tenant.id, name);
    this.#list = { partition, createdAt, retentionDays, filters: [], ordered: true };
  }

  /**
   * Up to `limit` events from a number on, of those that are accepted.
   * @throws FeedExpired
   */
  async read({ from, limit, accepts = () => true }: JournalQuery): Promise<JournalPage> {
    const { items, ...page } = await feed.readFeed(this.#table, this.#list, {
      from,
      limit,
      accepts: (item) => accepts(toRecord(journalEntity, item)),
      timeLimit: this.#tenant.session,
    });
    return { events: items.map((item) => toRecord(journalEntity, item)), ...page };
  }

  /** The number from which to follow the journal for changes that are committed from now on. */
  end(): ReturnType<typeof feed.endOfFeed> {
    return feed.endOfFeed(this.#table, this.#list, this.#tenant.session);
  }

  /** Counts the events from each of these numbers on. Two round trips; the first runs while the numbers are read. */
  countFrom(reading: Promise<readonly number[]>): Promise<feed.FeedCounts> {
    return feed.countFrom(this.#table, this.#list, this.#tenant.session.clock, reading);
  }

  /** Ends what consumers know of it: records have changed without events. */
  async raiseGeneration(): Promise<void> {
    await feed.raiseGeneration(this.#table, this.#list);
  }

  get #table() {
    return this.#tenant.session.tables.of(this.#tenant.id);
  }
}

interface JournalQuery {
  readonly from: number | 'oldest';
  readonly limit: number;
  readonly accepts?: (event: JournalEvent) => boolean;
}

interface JournalPage extends Omit<feed.FeedPage, 'items'> {
  readonly events: readonly JournalEvent[];
}
