import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableUnavailable, Unexpected } from '../errors.ts';
import { type Item, type Key, nameOf } from '../schema.ts';
import type { Table } from '../table.ts';
import { commit, type Sending } from './commit.ts';
import {
  Condition,
  type OnConditionFailed,
  type PendingPut,
  type PendingUpdate,
  type PendingWrite,
} from './pending-write.ts';

/**
 * A unit of work: the writes of one operation, staged one by one and committed in one transaction. An operation never
 * commits: the pipeline does, so that a webhook's event or an idempotency key can be part of the same transaction.
 * @example
 * const work = new UnitOfWork();
 * work.put(item, () => new Error('there is one already'));
 * work.update(parent, { add: { CHILDREN: 1 } });
 * await work.commit(table, { clock: Date.now, deadline: Date.now() + 10_000 });
 */

const unconditional: OnConditionFailed = () => new Error('a write without a condition was refused');

/** Stages changes for an item as found; undefined: as expected. */
type StageFor = (work: UnitOfWork, found: Item | undefined) => void;

export class UnitOfWork {
  readonly #writes = new Map<string, PendingWrite>();
  readonly #expectations = new Map<string, StageFor>();
  readonly #known = new Map<string, Item>();

  get isEmpty(): boolean {
    return this.#writes.size + this.#expectations.size === 0;
  }

  /** What is sent first. */
  get writes(): readonly PendingWrite[] {
    return this.#writesFor(new Map());
  }

  /** Stages a new item, by default on condition that its key is free. `isOwn`: as in {@link PendingPut}. */
  put(
    item: Item & Key,
    onConditionFailed: OnConditionFailed,
    condition: Condition = { exists: false },
    isOwn?: PendingPut['isOwn'],
  ): void {
    this.#stage({ kind: 'put', key: { PK: item.PK, SK: item.SK }, item, condition, onConditionFailed, isOwn });
  }

  /** Stages a change. Changes of one item are merged into one write, also into a put. */
  update(
    key: Key,
    change: Partial<Pick<PendingUpdate, 'set' | 'remove' | 'add' | 'condition' | 'onConditionFailed'>>,
  ): void {
    const { set = {}, remove = [], add = {}, condition = {}, onConditionFailed = unconditional } = change;
    const write: PendingUpdate = { kind: 'update', key, set, remove, add, condition, onConditionFailed };
    const before = this.#writes.get(nameOf(write.key));
    if (before?.kind === 'put') this.#writes.set(nameOf(write.key), into(before, write));
    else this.#stage(before?.kind === 'update' ? merge(before, write) : write);
  }

  /** What the staged changes of an item add to one of its counters. */
  sumIn(key: Key, counter: string): number {
    const write = this.#writes.get(nameOf(key));
    return write?.kind === 'update' ? Number(write.add[counter] ?? 0) : 0;
  }

  /**
   * Stages changes that depend on the state of an item which was not read. They are made for the state that it probably
   * has; if it is found in another, another transaction with the changes for that state takes the place of the first
   * one.
   * @param stage stages them for the item as found, or, before it was, as expected. Its condition must return
   * {@link Unexpected} for another state.
   * @throws Error where other changes already depend on the item: neither would know of the other
   */
  expect(key: Key, stage: StageFor): void {
    const name = nameOf(key);
    const before = this.#expectations.get(name);
    if (before !== undefined && !areSame(before, stage))
      throw new Error(`two changes that differ depend on the state of ${name}`);
    this.#expectations.set(name, stage);
  }

  /** Stages the condition that an item exists and has these attributes: an update that changes nothing. */
  require(key: Key, equals: Readonly<Record<string, unknown>>, onConditionFailed: OnConditionFailed): void {
    this.update(key, { condition: { exists: true, equals }, onConditionFailed });
  }

  delete(key: Key, condition: Condition, onConditionFailed: OnConditionFailed): void {
    this.#stage({ kind: 'delete', key, condition, onConditionFailed });
  }

  /**
   * Commits the pending writes, all or none. `sending`: until when to retry.
   * @throws what `onConditionFailed` of a refused write returns, but for {@link Unexpected}; {@link StaleRead};
   * {@link ItemTooLarge}; {@link TableUnavailable}; {@link Contended}
   */
  async commit(table: Table, sending: Sending): Promise<void> {
    const found = new Map<string, Item>();
    // 60 random bits, the end of a UUID: `randomBytes` would take 2 % of a request's CPU time.
    const writeId = randomUUID().slice(20);
    for (;;) {
      try {
        return await commit(table, this.#writesFor(found), sending, { writeId, known: this.#known });
      } catch (error) {
        if (!(error instanceof Unexpected)) throw error;
        const refusal = sending.contention?.refusal(error, 0, 1);
        if (refusal !== undefined) throw refusal;
        if (sending.clock() > sending.deadline)
          throw new TableUnavailable('an item changed until there was no time left', { cause: error });
        found.set(nameOf(error.key), error.found);
      }
    }
  }

  /**
   * The error with which {@link commit} would be refused now, as far as can be read: that of the first write whose item
   * does not meet its condition. Strongly consistent. An item that cannot be read, such as credentials in most
   * sessions, counts as meeting the condition: the commit decides.
   * @param isReadable whether the item of a key may be read
   */
  async refusal(table: Table, isReadable: (key: Key) => boolean): Promise<Error | undefined> {
    const conditional = this.writes.filter(
      ({ key, condition }) => isReadable(key) && Object.keys(condition).length > 0,
    );
    const refusals = await Promise.all(
      conditional.map(async ({ key, condition, onConditionFailed }) => {
        const command = new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true });
        const read = await table.client.send(command).catch(() => undefined);
        return read === undefined || Condition.isMet(condition, read.Item) ? undefined : onConditionFailed(read.Item);
      }),
    );
    return refusals.find((refusal) => refusal !== undefined && !(refusal instanceof Unexpected));
  }

  /** Notes an item as read, which a write changes or replaces: DynamoDB charges a write by the larger of the two. */
  noteSize(key: Key, item: Item): void {
    this.#known.set(nameOf(key), item);
  }

  /** The staged writes, with those that depend on the state of items. */
  #writesFor(found: ReadonlyMap<string, Item>): readonly PendingWrite[] {
    if (this.#expectations.size === 0) return [...this.#writes.values()];
    const work = new UnitOfWork();
    for (const [name, write] of this.#writes) work.#writes.set(name, write);
    for (const [name, stage] of this.#expectations) stage(work, found.get(name));
    return work.writes;
  }

  #stage(write: PendingWrite): void {
    const name = nameOf(write.key);
    const before = this.#writes.get(name);
    if (before !== undefined && !(before.kind === 'update' && write.kind === 'update')) {
      throw new Error(`a ${before.kind} and a ${write.kind} of one item cannot be in one transaction`);
    }
    this.#writes.set(name, write);
  }
}

/** Whether both stage the same writes, which may run once for both: no sums of their own, no conditions of others. */
function areSame(one: StageFor, other: StageFor): boolean {
  const [some = [], others] = [one, other].map((stage) => {
    const work = new UnitOfWork();
    stage(work, undefined);
    return work.writes.map(({ onConditionFailed: _, ...write }) => write);
  });
  const isRepeatable = (write: (typeof some)[number]): boolean =>
    write.kind !== 'update' ||
    (Object.keys(write.add).length === 0 && Object.keys(write.set).length + write.remove.length > 0);
  return some.every(isRepeatable) && isDeepStrictEqual(some, others);
}

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

/** Merges a change into a put. Its condition is checked here, because the item does not exist yet. */
function into(put: PendingPut, { set, add, remove, condition }: PendingUpdate): PendingPut {
  if (!Condition.isMet(condition, put.item))
    throw new Error('the condition of a change is not met by the item that is put');
  const item: Record<string, unknown> = { ...put.item, ...set };
  for (const [attribute, amount] of Object.entries(add))
    item[attribute] = sum((item[attribute] as number) ?? 0, amount);
  for (const attribute of remove) delete item[attribute];
  return { ...put, item };
}

/** The error of the update whose condition the found item does not meet. */
function eitherRefusal(first: PendingUpdate, second: PendingUpdate): OnConditionFailed {
  if (first.onConditionFailed === unconditional) return second.onConditionFailed;
  if (second.onConditionFailed === unconditional) return first.onConditionFailed;
  return (found) => (Condition.isMet(first.condition, found) ? second : first).onConditionFailed(found);
}

const sum = (a: number | bigint | undefined, b: number | bigint): number | bigint => {
  if (a === undefined) return b;
  return typeof a === 'bigint' || typeof b === 'bigint' ? BigInt(a) + BigInt(b) : a + b;
};
