import type { Item } from '@custodia/counted-lists';
import type { Entity, JournalEvent } from '#table';
import type { Verified } from './difference.ts';
import type { Check } from './scan-records.ts';

/**
 * Verifies that the journal has the events of each record in the order of its versions
 * (`docs/decisions/0201-events.md`): a consumer who follows it would else end with an older state. Nothing repairs it,
 * because events are never changed.
 */
export class FeedOrder implements Check {
  /** The version of the last event of each record. */
  readonly #versions = new Map<string, number>();
  readonly #found: Verified[] = [];

  /** Events come in the order of their numbers, which is that of the feed. */
  visit({ ordered, name: entity }: Entity, item: Item): void {
    if (!ordered) return;
    const { id, type, record_type, record_id, version } = item as Item & JournalEvent;
    // A ping says which version it has read, and changes nothing.
    if (type.endsWith('.pinged')) return;
    const last = this.#versions.get(record_id) ?? 0;
    this.#versions.set(record_id, Math.max(last, version));
    if (version > last) return;
    const text =
      `${entity} ${id} is of version ${version} of ${record_type} ${record_id}, after one of version ` + `${last}`;
    const reason = 'events are never changed: consumers read the record again';
    this.#found.push({ kind: 'out-of-order', entity, id, text, repaired: false, reason });
  }

  async verify(): Promise<readonly Verified[]> {
    return this.#found;
  }
}
