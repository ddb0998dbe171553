import { MOVES } from '../schema.ts';
import type { OnConditionFailed } from '../transaction/pending-write.ts';
import { advance } from './advance.ts';
import { isEmpty } from './changes.ts';
import { toAttributes } from './entity.ts';
import type { RecordReader } from './record-reader.ts';

/** Fields of records that follow from other records: counters, and times that only move forward. They leave the version alone. */
export class DerivedFields<T extends object> {
  readonly #records: RecordReader<T>;

  constructor(records: RecordReader<T>) {
    this.#records = records;
  }

  /**
   * Stages a change of derived fields, which leaves the version alone: a counter moving must not turn into somebody's 412. How often counters
   * have moved is counted too: whoever counts anew knows by it that nothing has moved meanwhile (`verify/counters.ts`).
   * `onConditionFailed` gives the error when there is no such record or `equals` does not hold.
   */
  adjust(
    id: string,
    change: { add?: Readonly<Record<string, number>>; set?: Partial<T>; equals?: Readonly<Record<string, unknown>> },
    onConditionFailed: OnConditionFailed,
  ): void {
    const { add = {} } = change;
    const { session, tenant, entity } = this.#records;
    session.unitOfWork(tenant).update(this.#records.keyOf(id), {
      ...(isEmpty(add) ? {} : { add: { ...add, [MOVES]: 1 } }),
      ...(change.set === undefined ? {} : { set: toAttributes(entity, change.set) }),
      condition: { equals: { id, ...change.equals } },
      onConditionFailed,
    });
  }

  /** Has a field moved forward to a text beside the commit, where it is less. A failure is ignored: the field may be late. */
  advance(id: string, field: keyof T & string, value: string): void {
    const { session, table } = this.#records;
    const key = this.#records.keyOf(id);
    session.beside(() => advance(table, key, { id, field, value }, session));
  }
}
