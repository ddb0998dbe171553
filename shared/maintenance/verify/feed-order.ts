import type { Item } from '#lists';
import type { Entity, JournalEvent } from '#table';
import type { Verified } from './difference.ts';
import type { Visitor } from './scan-records.ts';

/**
 * Verifies that the journal has the events of each record in the order of its versions (`docs/decisions/0201-events.md`): a consumer who follows it
 * would else end with an older state. Nothing repairs it, because events are never changed.
 */
export class FeedOrder {
  readonly #name: string;
  /** The version of the last event of each record. */
  readonly #versions = new Map<string, number>();
  readonly #found: Verified[] = [];

  constructor({ name }: Pick<Entity, 'name'>) {
    this.#name = name;
  }

  /** Events come in the order of their numbers, which is that of the feed. */
  readonly visit: Visitor = (item) => {
    const { id, type, record_type, record_id, version } = item as Item & JournalEvent;
    if (isOfNoChange(type)) return;
    const last = this.#versions.get(record_id) ?? 0;
    this.#versions.set(record_id, Math.max(last, version));
    if (version > last) return;
    const text = `${this.#name} ${id} is of version ${version} of ${record_type} ${record_id}, after one of version ${last}`;
    this.#found.push({
      ...{ kind: 'out-of-order', entity: this.#name, id, text },
      ...{ repaired: false, reason: 'events are never changed: consumers read the record again' },
    });
  };

  get differences(): readonly Verified[] {
    return this.#found;
  }
}

/** A ping says which version it has read, and changes nothing. */
const isOfNoChange = (type: string): boolean => type.endsWith('.pinged');
