import { type Item, ids, type Key } from '#lists';
import type { Entity } from '#table';
import { childPartition, recordsPartition } from '#table/keys';
import { CHILDREN } from '#table/storage';
import { type Comparison, changed, Moved, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import type { Kind } from './kinds.ts';
import { concurrently, countPartition, readItem, readLast } from './reading.ts';
import type { Visitor } from './scan-records.ts';

/**
 * Verifies the number of child records of each record of a kind: the messages of a ticket. Parents are collected from a
 * scan.
 */
export class Children {
  readonly #scope: VerifyContext;
  readonly #kind: Kind;
  readonly #parents: { readonly id: string; readonly number: number; readonly count: number }[] = [];

  constructor(scope: VerifyContext, kind: Kind) {
    this.#scope = scope;
    this.#kind = kind;
  }

  readonly visit: Visitor = (record, number) => {
    if (this.#counted.length === 0) return;
    this.#parents.push({ id: String(record.id), number, count: countIn(record) });
  };

  verify(): Promise<Verified[]> {
    return concurrently(this.#parents, async ({ id, number, count }) =>
      (await this.#count(id)) === count ? [] : verifyUntilStable(this.#scope, () => this.#look(id, number)),
    );
  }

  /** The stored count only increases: if it is the same before and after, no record was added in between. */
  async #look(id: string, number: number): Promise<Comparison | Moved> {
    const { entity } = this.#kind;
    const key: Key = { PK: recordsPartition(this.#scope.tenant, entity.name), SK: ids.sortKeyOf(number) };
    const before = await readItem(this.#scope, key);
    if (before?.id !== id) return { differences: [] };
    const count = await this.#count(id);
    const after = await readItem(this.#scope, key);
    if (after?.id !== id || countIn(after) !== countIn(before)) {
      const text = `${entity.name} ${id} changes too fast to count what is below it`;
      return new Moved({ entity: entity.name, id, text });
    }
    if (count === countIn(before)) return { differences: [] };
    const text = `${entity.name} ${id} counts ${countIn(before)} records below it, there are ${count}`;
    return {
      differences: [{ kind: 'counter', entity: entity.name, id, field: CHILDREN, text }],
      repair: (work) =>
        work.update(key, {
          set: { [CHILDREN]: count },
          condition: { equals: { id, [CHILDREN]: before[CHILDREN] } },
          onConditionFailed: changed,
        }),
    };
  }

  async #count(id: string): Promise<number> {
    const { tenant } = this.#scope;
    const { entity: parent } = this.#kind;
    const counts = this.#counted.map((child) =>
      this.#countOf(child, childPartition(tenant, parent.name, id, child.name)),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** Those that expire are counted when they are created, and not when they expire. */
  get #counted(): readonly Entity[] {
    return this.#kind.below.filter(({ retentionDays }) => retentionDays === undefined);
  }

  /** The highest number of numbered records, which must not be given to another record. */
  async #countOf({ numbered }: Entity, partition: string): Promise<number> {
    if (!numbered) return countPartition(this.#scope, partition);
    const last = await readLast(this.#scope, partition);
    return last === undefined ? 0 : ids.numberIn(String(last.SK)) + 1;
  }
}

const countIn = ({ [CHILDREN]: count }: Item): number => Number(count ?? 0);
