import { setPartition } from '#lists';
import { readSetKeys, type SetKeys, stageRetirement } from './children.ts';
import type { RecordReader } from './record-reader.ts';

/** The sets of single filter values. */
export class FilterSets<T extends object> {
  readonly #records: RecordReader<T>;

  constructor(records: RecordReader<T>) {
    this.#records = records;
  }

  /** The keys of a value's set, for {@link delete}. May be read in parallel to the record that the value names. */
  keysOf(field: keyof T & string, value: string): Promise<SetKeys> {
    return readSetKeys(this.#records.table, setPartition(this.#records.location.partition, field, value));
  }

  /**
   * Stages the deletion of the set of a value that no record has or will have: the id of a record that is deleted in the same transaction, on
   * condition that no record refers to it. Otherwise the set's empty items would stay forever, because they are never read again.
   */
  delete(keys: SetKeys): void {
    stageRetirement(this.#records.session, this.#records.tenant, keys);
  }
}
