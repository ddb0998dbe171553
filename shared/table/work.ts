import type { Table } from './client.ts';
import { commit } from './commit.ts';
import { isMet } from './expectations.ts';
import type { Key } from './keys.ts';
import type { Patience } from './persist.ts';
import type { Expectation, Item, Refusal, StagedPut, StagedUpdate, StagedWrite } from './staged.ts';

/**
 * A unit of work: the writes of one operation, staged one by one and committed together. An operation never commits;
 * the pipeline does, so that a webhook's event record or an idempotency key can join the same transaction.
 */

const unexpected: Refusal = () => new Error('a write without an expectation was refused');

export class Work {
  readonly #writes = new Map<string, StagedWrite>();

  get writes(): readonly StagedWrite[] {
    return [...this.#writes.values()];
  }

  /** Stages an item that must not be there yet. */
  put(item: Item & Key, refuse: Refusal, expect: Expectation = { exists: false }): void {
    this.#stage({ kind: 'put', key: { PK: item.PK, SK: item.SK }, item, expect, refuse });
  }

  /** Stages a change. Changes of one item add up to one write, also those of an item that is put here. */
  update(key: Key, change: Partial<Pick<StagedUpdate, 'set' | 'remove' | 'add' | 'expect' | 'refuse'>>): void {
    const { set = {}, remove = [], add = {}, expect = {}, refuse = unexpected } = change;
    const write: StagedUpdate = { kind: 'update', key, set, remove, add, expect, refuse };
    const before = this.#writes.get(nameOf(key));
    if (before?.kind === 'put') this.#writes.set(nameOf(key), into(before, write));
    else this.#stage(before?.kind === 'update' ? merge(before, write) : write);
  }

  /** Stages that an item must be there and unchanged in these attributes. An update that changes nothing. */
  require(key: Key, equals: Readonly<Record<string, unknown>>, refuse: Refusal): void {
    this.update(key, { expect: { exists: true, equals }, refuse });
  }

  delete(key: Key, expect: Expectation, refuse: Refusal): void {
    this.#stage({ kind: 'delete', key, expect, refuse });
  }

  /**
   * Commits what is staged, all or nothing. `patience`: until when trying again makes sense.
   * @throws what the refusing write's `refuse` gives; {@link StaleRead}; {@link ItemTooLarge}; {@link TableUnavailable}
   */
  async commit(table: Table, patience: Patience): Promise<void> {
    await commit(table, this.writes, patience);
  }

  #stage(write: StagedWrite): void {
    const name = nameOf(write.key);
    const before = this.#writes.get(name);
    if (before !== undefined && !(before.kind === 'update' && write.kind === 'update')) {
      throw new Error(`two writes of ${before.kind} and ${write.kind} to one item in a transaction`);
    }
    this.#writes.set(name, write);
  }
}

const nameOf = (key: Key): string => `${key.PK}\n${key.SK}`;

function merge(first: StagedUpdate, second: StagedUpdate): StagedUpdate {
  const add: Record<string, number | bigint> = { ...first.add };
  for (const [attribute, amount] of Object.entries(second.add)) add[attribute] = sum(add[attribute], amount);
  return {
    ...first,
    set: { ...first.set, ...second.set },
    remove: [...new Set([...first.remove, ...second.remove])],
    add,
    expect: { and: [first.expect, second.expect] },
    refuse: eitherRefusal(first, second),
  };
}

/** A put of what the change makes of it. The item is not there yet, so what the change expects of it is seen here. */
function into(put: StagedPut, { set, add, remove, expect }: StagedUpdate): StagedPut {
  if (!isMet(expect, put.item)) throw new Error('a change expects something else of an item than what is put');
  const item: Record<string, unknown> = { ...put.item, ...set };
  for (const [attribute, amount] of Object.entries(add))
    item[attribute] = sum((item[attribute] as number) ?? 0, amount);
  for (const attribute of remove) delete item[attribute];
  return { ...put, item };
}

/** The refusal of the one whose expectation the item found does not meet. */
function eitherRefusal(first: StagedUpdate, second: StagedUpdate): Refusal {
  if (first.refuse === unexpected) return second.refuse;
  if (second.refuse === unexpected) return first.refuse;
  return (found) => (isMet(first.expect, found) ? second : first).refuse(found);
}

const sum = (a: number | bigint | undefined, b: number | bigint): number | bigint => {
  if (a === undefined) return b;
  return typeof a === 'bigint' || typeof b === 'bigint' ? BigInt(a) + BigInt(b) : a + b;
};
