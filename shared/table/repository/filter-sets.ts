import { setPartition } from '../keys.ts';
import { readSetKeys, type SetKeys, stageRetirement } from './children.ts';
import type { RecordReader } from './record-reader.ts';

/** What the lists of a kind know of single values of their filters. */
export class FilterSets<T extends object> {
  readonly #records: RecordReader<T>;

  constructor(records: RecordReader<T>) {
    this.#records = records;
  }

  /** The keys of a value's set, for {@link delete}: may be read beside the record that the value names. */
  keysOf(field: keyof T & string, value: string): Promise<SetKeys> {
    return readSetKeys(this.#records.table, setPartition(this.#records.location.partition, field, value));
  }

  /**
   * Stages the end of the set of a value that no record has and none will have: the id of a record that is deleted in the same
   * transaction, on condition that nothing names it any more. Else the empty items of the set would be left for ever, for nobody reads them again.
   */
  delete(keys: SetKeys): void {
    stageRetirement(this.#records.session, this.#records.tenant, keys);
  }
}
