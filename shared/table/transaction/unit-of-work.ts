import type { Table } from '../connection/client.ts';
import type { Key } from '../keys.ts';
import type { Item } from '../schema.ts';
import { commit } from './commit.ts';
import { isMet } from './conditions.ts';
import type { Condition, OnConditionFailed, PendingPut, PendingUpdate, PendingWrite } from './pending-write.ts';
import type { TimeLimit } from './retry.ts';

/**
 * A unit of work: the writes of one operation, staged one by one and committed together. An operation never commits;
 * the pipeline does, so that a webhook's event record or an idempotency key can join the same transaction.
 */

const unexpected: OnConditionFailed = () => new Error('a write without an expectation was refused');

export class UnitOfWork {
  readonly #writes = new Map<string, PendingWrite>();

  get writes(): readonly PendingWrite[] {
    return [...this.#writes.values()];
  }

  /** Stages an item that must not be there yet. */
  put(item: Item & Key, onConditionFailed: OnConditionFailed, condition: Condition = { exists: false }): void {
    this.#stage({ kind: 'put', key: { PK: item.PK, SK: item.SK }, item, condition, onConditionFailed });
  }

  /** Stages a change. Changes of one item add up to one write, also those of an item that is put here. */
  update(
    key: Key,
    change: Partial<Pick<PendingUpdate, 'set' | 'remove' | 'add' | 'condition' | 'onConditionFailed'>>,
  ): void {
    const { set = {}, remove = [], add = {}, condition = {}, onConditionFailed = unexpected } = change;
    const write: PendingUpdate = { kind: 'update', key, set, remove, add, condition, onConditionFailed };
    const before = this.#writes.get(nameOf(key));
    if (before?.kind === 'put') this.#writes.set(nameOf(key), into(before, write));
    else this.#stage(before?.kind === 'update' ? merge(before, write) : write);
  }

  /** Stages that an item must be there and unchanged in these attributes. An update that changes nothing. */
  require(key: Key, equals: Readonly<Record<string, unknown>>, onConditionFailed: OnConditionFailed): void {
    this.update(key, { condition: { exists: true, equals }, onConditionFailed });
  }

  delete(key: Key, condition: Condition, onConditionFailed: OnConditionFailed): void {
    this.#stage({ kind: 'delete', key, condition, onConditionFailed });
  }

  /**
   * Commits what is staged, all or nothing. `timeLimit`: until when trying again makes sense.
   * @throws what the refusing write's `onConditionFailed` gives; {@link StaleRead}; {@link ItemTooLarge}; {@link TableUnavailable}
   */
  async commit(table: Table, timeLimit: TimeLimit): Promise<void> {
    await commit(table, this.writes, timeLimit);
  }

  #stage(write: PendingWrite): void {
    const name = nameOf(write.key);
    const before = this.#writes.get(name);
    if (before !== undefined && !(before.kind === 'update' && write.kind === 'update')) {
      throw new Error(`two writes of ${before.kind} and ${write.kind} to one item in a transaction`);
    }
    this.#writes.set(name, write);
  }
}

const nameOf = (key: Key): string => `${key.PK}\n${key.SK}`;

function merge(first: PendingUpdate, second: PendingUpdate): PendingUpdate {
  const add: Record<string, number | bigint> = { ...first.add };
  for (const [attribute, amount] of Object.entries(second.add)) add[attribute] = sum(add[attribute], amount);
  return {
    ...first,
    set: { ...first.set, ...second.set },
    remove: [...new Set([...first.remove, ...second.remove])],
    add,
    condition: { and: [first.condition, second.condition] },
    onConditionFailed: eitherRefusal(first, second),
  };
}

/** A put of what the change makes of it. The item is not there yet, so what the change expects of it is seen here. */
function into(put: PendingPut, { set, add, remove, condition }: PendingUpdate): PendingPut {
  if (!isMet(condition, put.item)) throw new Error('a change expects something else of an item than what is put');
  const item: Record<string, unknown> = { ...put.item, ...set };
  for (const [attribute, amount] of Object.entries(add))
    item[attribute] = sum((item[attribute] as number) ?? 0, amount);
  for (const attribute of remove) delete item[attribute];
  return { ...put, item };
}

/** The refusal of the one whose expectation the item found does not meet. */
function eitherRefusal(first: PendingUpdate, second: PendingUpdate): OnConditionFailed {
  if (first.onConditionFailed === unexpected) return second.onConditionFailed;
  if (second.onConditionFailed === unexpected) return first.onConditionFailed;
  return (found) => (isMet(first.condition, found) ? second : first).onConditionFailed(found);
}

const sum = (a: number | bigint | undefined, b: number | bigint): number | bigint => {
  if (a === undefined) return b;
  return typeof a === 'bigint' || typeof b === 'bigint' ? BigInt(a) + BigInt(b) : a + b;
};
