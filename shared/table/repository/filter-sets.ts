import { type Key, storedSets } from '#lists';
import { stageCascadeDelete } from './cascade-delete.ts';
import { FEW, keysIn, stageDeletions } from './children.ts';
import type { RecordReader } from './record-reader.ts';

/** The items of a set. */
interface SetKeys {
  readonly partition: string;
  readonly keys: readonly Key[];
}

/** The sets of single filter values. */
export class FilterSets<T extends object> {
  readonly #records: RecordReader<T>;

  constructor(records: RecordReader<T>) {
    this.#records = records;
  }

  /** The keys of a value's set, as far as they are few, for {@link delete}. Strongly consistent. May be read in parallel to the record that the value names. */
  async keysOf(field: keyof T & string, value: string): Promise<SetKeys> {
    const { table, location } = this.#records;
    const partition = storedSets.partitionOf(location.partition, field, value);
    return { partition, keys: await keysIn(table, partition) };
  }

  /**
   * Stages the deletion of the set of a value that no record has or will have: the id of a record that is deleted in the same transaction, on
   * condition that no record refers to it. Otherwise the set's empty items would stay forever, because they are never read again.
   */
  delete({ partition, keys }: SetKeys): void {
    const { session, tenant } = this.#records;
    // A small set in the transaction, a large one after it.
    if (keys.length > FEW) stageCascadeDelete(session, tenant, partition);
    else stageDeletions(session, tenant, keys);
  }
}
