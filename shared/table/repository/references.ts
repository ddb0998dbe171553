import type { OnConditionFailed } from '#lists';
import type { RecordReader } from './record-reader.ts';

/** Checks references to the records of a repository. */
export class References<T extends object> {
  readonly #records: RecordReader<T>;

  constructor(records: RecordReader<T>) {
    this.#records = records;
  }

  /** Stages the condition that a record exists at commit. */
  require(id: string, onConditionFailed: OnConditionFailed, equals: Readonly<Record<string, unknown>> = {}): void {
    const { session, tenant } = this.#records;
    session.changes.of(tenant).require(this.#records.keyOf(id), { id, ...equals }, onConditionFailed);
  }

  /**
   * Checks that a record exists, for kinds whose records are never deleted and values that never change. The record is read in parallel to the
   * operation, and the commit waits for the result.
   * A condition in the transaction would make all records that refer to the same one conflict.
   */
  requireLasting(
    id: string,
    onConditionFailed: OnConditionFailed,
    equals: Readonly<Record<string, unknown>> = {},
  ): void {
    this.#records.session.changes.check(async () => {
      const stored = await this.#records.get(id);
      const isMet = Object.entries(equals).every(([field, value]) => stored?.item[field] === value);
      if (stored === undefined || !isMet) throw onConditionFailed(stored?.item);
    });
  }
}
