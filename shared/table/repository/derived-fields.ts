import type { OnConditionFailed } from '#lists';
import { advance } from './advance.ts';
import { isEmptyChange } from './changes.ts';
import { toAttributes } from './entity.ts';
import type { RecordReader } from './record-reader.ts';

/** Attribute of a record or a quota: how often its counters were changed. */
export const MOVES = 'MOVES';

/**
 * Fields that are derived from other records: counters, and times that only move forward. Changing them does not raise
 * the version.
 */
export class DerivedFields<T extends object> {
  readonly #records: RecordReader<T>;

  constructor(records: RecordReader<T>) {
    this.#records = records;
  }

  /**
   * Stages a change of derived fields. The version stays, so that a changed counter does not cause a 412. `MOVES` counts the changes of
   * counters, so that a recount can detect changes in between (`verify/counters.ts`).
   * `onConditionFailed` returns the error for a missing record, or when `equals` does not hold.
   */
  adjust(
    id: string,
    change: { add?: Readonly<Record<string, number>>; set?: Partial<T>; equals?: Readonly<Record<string, unknown>> },
    onConditionFailed: OnConditionFailed,
  ): void {
    const { add = {} } = change;
    const { session, tenant, entity } = this.#records;
    session.changes.of(tenant).update(this.#records.keyOf(id), {
      ...(isEmptyChange(add) ? {} : { add: { ...add, [MOVES]: 1 } }),
      ...(change.set === undefined ? {} : { set: toAttributes(entity, change.set) }),
      condition: { equals: { id, ...change.equals } },
      onConditionFailed,
    });
  }

  /** Moves a field forward to a text, in parallel to the commit. Best effort: the field may lag behind. */
  advance(id: string, field: keyof T & string, value: string): void {
    const { session, table } = this.#records;
    const key = this.#records.keyOf(id);
    session.changes.duringCommit(() => advance(table, key, { id, field, value }, session));
  }
}
