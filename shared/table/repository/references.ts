import type { OnConditionFailed } from '../transaction/pending-write.ts';
import type { RecordReader } from './record-reader.ts';

/** What refers to records of a kind depends on these being there. */
export class References<T extends object> {
  readonly #records: RecordReader<T>;

  constructor(records: RecordReader<T>) {
    this.#records = records;
  }

  /** Stages that a record must exist when the work commits. */
  require(id: string, onConditionFailed: OnConditionFailed, equals: Readonly<Record<string, unknown>> = {}): void {
    const { session, tenant } = this.#records;
    session.unitOfWork(tenant).require(this.#records.keyOf(id), { id, ...equals }, onConditionFailed);
  }

  /**
   * Checks that a record exists which can not be deleted: it is read beside the operation's own work, and the commit waits for it. A condition
   * in the transaction would have all that refer to one record get in each other's way.
   */
  requireLasting(id: string, onConditionFailed: OnConditionFailed): void {
    this.#records.session.check(async () => {
      if ((await this.#records.get(id)) === undefined) throw onConditionFailed(undefined);
    });
  }
}
