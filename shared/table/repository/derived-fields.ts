import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  Condition,
  type Item,
  type Key,
  listErrors,
  type OnConditionFailed,
  retry,
  type Table,
  type UnitOfWork,
} from '#lists';
import { CLOCKS_DIFFER_MS, type TimeLimit } from '../../clock.ts';
import { toAttributes } from './entity.ts';
import { flagsByCounters, stageFlag } from './flags.ts';
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
    const work = session.changes.of(tenant);
    const key = this.#records.keyOf(id);
    work.update(key, {
      ...(Object.keys(add).length === 0 ? {} : { add: { ...add, [MOVES]: 1 } }),
      ...(change.set === undefined ? {} : { set: toAttributes(entity, change.set) }),
      condition: { equals: { id, ...change.equals } },
      onConditionFailed,
    });
    for (const { flag, counter } of flagsByCounters(entity)) {
      const amount = add[counter] ?? 0;
      if (amount !== 0) work.expect(key, (staged, found) => stageFlagOf(staged, key, { flag, counter, amount }, found));
    }
  }

  /** Moves a field forward to a text, in parallel to the commit. Best effort: the field may lag behind. */
  advance(id: string, field: keyof T & string, value: string): void {
    const { session, table } = this.#records;
    const key = this.#records.keyOf(id);
    session.changes.duringCommit(() => advance(table, key, { id, field, value }, session));
  }
}

/**
 * Stages what becomes of a flag when its counter changes, without reading it: the counter is expected to be more than 0, and to stay so. For a counter
 * that leaves or reaches 0 this is refused; then the item is known, and the flag is changed with the counter.
 */
function stageFlagOf(
  work: UnitOfWork,
  key: Key,
  { flag, counter, amount }: { readonly flag: string; readonly counter: string; readonly amount: number },
  found: Item | undefined,
): void {
  const onConditionFailed: OnConditionFailed = (item) => new listErrors.Unexpected(key, item ?? {});
  const expected = { equals: { [flag]: true }, moreThan: { [counter]: Math.max(0, -amount) } };
  if (found === undefined || Condition.isMet(expected, found)) {
    work.update(key, { condition: expected, onConditionFailed });
    return;
  }
  work.update(key, { condition: { equals: { [counter]: found[counter] } }, onConditionFailed });
  stageFlag(work, found, { flag, isTrue: Number(found[counter] ?? 0) + amount > 0 }, onConditionFailed);
}

/** Longest time to retry while the item is in a transaction. In milliseconds. */
const TIMEOUT_MS = 500;

/**
 * Moves a time of a record forward, never back: one `UpdateItem`, refused where the record has that time or a later one already. A time in the
 * future is replaced: another container's clock was wrong (`docs/decisions/0160-clocks.md`).
 */
async function advance(
  table: Table,
  key: Key,
  { id, field, value }: { readonly id: string; readonly field: string; readonly value: string },
  { clock, deadline }: TimeLimit,
): Promise<void> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...key },
    UpdateExpression: 'SET #field = :value',
    // `NOT BETWEEN` and not `<` or `>`, which are false for null.
    ConditionExpression: 'id = :id AND NOT #field BETWEEN :value AND :latest',
    ExpressionAttributeNames: { '#field': field },
    ExpressionAttributeValues: {
      ':id': id,
      ':value': value,
      ':latest': new Date(clock() + CLOCKS_DIFFER_MS).toISOString(),
    },
  });
  const timeLimit = { clock, deadline: Math.min(deadline, clock() + TIMEOUT_MS) };
  await retry(() => table.client.send(command), timeLimit);
}
