import { type Item, ids, indexes, type Key, readPartition, schema, type UnitOfWork } from '#lists';
import type { Entity } from '#table';
import { recordsPartition, uniqueKey } from '#table/keys';
import { CLAIMED, claimedIn, isClaimOfOwn } from '#table/storage';
import {
  type Comparison,
  changed,
  type Difference,
  Moved,
  type Verified,
  type VerifyContext,
  verifyUntilStable,
} from './difference.ts';
import { concurrently, readTogether } from './reading.ts';
import type { Visitor } from './scan-records.ts';

/**
 * Verifies unique values: each must be claimed by the only record that has it. Values are collected from a scan. So it verifies the values that upserts
 * have claimed, which their records note: a record has such a value if it notes it and the field still has it.
 */
export class Claims {
  readonly #scope: VerifyContext;
  readonly #entity: Entity;
  /** The ids of the records that have a value, by field and value. */
  readonly #values = new Map<string, Map<string, string[]>>();

  /** Values that records note as claimed and do not have, by field. */
  readonly #misnoted = new Map<string, Set<string>>();

  constructor(scope: VerifyContext, entity: Entity) {
    this.#scope = scope;
    this.#entity = entity;
    for (const field of claimedFieldsOf(entity)) this.#values.set(field, new Map());
  }

  readonly visit: Visitor = (record) => {
    for (const [field, values] of this.#values) {
      const value = this.#isUnique(field) ? this.#valueOf(record, field) : notedOf(record, field);
      if (value !== undefined && this.#valueOf(record, field) !== value)
        this.#misnoted.set(field, (this.#misnoted.get(field) ?? new Set()).add(value));
      if (value !== undefined) values.set(value, [...(values.get(value) ?? []), String(record.id)]);
    }
  };

  async verify(): Promise<Verified[]> {
    const found: Verified[] = [];
    for (const [field, values] of this.#values) {
      const suspected = await this.#suspected(field, values);
      found.push(
        ...(await concurrently(suspected, (value) =>
          verifyUntilStable(this.#scope, () => this.#look(field, value, values.get(value) ?? [])),
        )),
      );
    }
    return found;
  }

  /** Values that are not claimed by exactly the one record that has them. */
  async #suspected(field: string, values: ReadonlyMap<string, readonly string[]>): Promise<string[]> {
    const { PK } = this.#keyOf(field, '');
    const right = new Set<string>();
    const wrong = new Set<string>(this.#misnoted.get(field));
    for await (const { SK, holder } of readPartition(this.#scope, PK)) {
      const ids = values.get(String(SK)) ?? [];
      const isRight = ids.length === 1 && ids[0] === holder && !wrong.has(String(SK));
      (isRight ? right : wrong).add(String(SK));
    }
    return [...wrong, ...[...values.keys()].filter((value) => !right.has(value) && !wrong.has(value))];
  }

  /** Reads the claim of a value and the records that may have it, as of one moment. */
  async #look(field: string, value: string, ids: readonly string[]): Promise<Comparison | Moved> {
    const key = this.#keyOf(field, value);
    const [seen] = await readTogether(this.#scope, [key]);
    const holders = [...new Set([...(seen === undefined ? [] : [String(seen.holder)]), ...ids])].slice(0, MOST);
    const [claim, ...records] = await readTogether(this.#scope, [key, ...holders.map((id) => this.#recordKey(id))]);
    if (claim?.holder !== seen?.holder) {
      const text = `the ${field} of ${this.#entity.name} changes too fast to be verified`;
      return new Moved({ entity: this.#entity.name, field, text });
    }
    const having = holders.filter((id, index) => {
      const record = records[index];
      return schema.isRecord(record) && record.id === id && this.#valueOf(record, field) === value;
    });
    const expected = having.find((id) => id === claim?.holder) ?? having[0];
    const misnoting = this.#isUnique(field)
      ? []
      : holders.filter((id, index) => id !== expected && notedOf(records[index], field) === value);
    const difference = (kind: Difference['kind'], text: string): Difference => ({
      kind,
      entity: this.#entity.name,
      id: expected,
      field,
      text: `${this.#entity.name} ${field} ${JSON.stringify(value)} ${text}`,
    });
    if (having.length > 1 && this.#isUnique(field))
      return { differences: [difference('not-unique', `is the value of ${having.join(' and ')}`)] };
    if (claim?.holder === expected && misnoting.length === 0) return { differences: [] };
    const text = textOf(claim?.holder, expected, misnoting);
    return {
      differences: [difference('unique-value', text)],
      repair: (work) => {
        for (const [index, id] of holders.entries()) {
          this.#expect(work, id, records[index]);
          if (misnoting.includes(id)) work.update(this.#recordKey(id), { remove: [CLAIMED] });
        }
        const expect = claim === undefined ? { exists: false } : { equals: { holder: claim.holder } };
        if (claim?.holder === expected) return;
        if (expected === undefined) work.delete(key, expect, changed);
        else work.put({ ...key, holder: expected }, changed, expect);
      },
    };
  }

  /** Stages the condition that a record is as read, or still missing. */
  #expect(work: UnitOfWork, id: string, record: Item | undefined): void {
    const seen = ['id', schema.VERSION, indexes.SETS, CLAIMED];
    const equals = Object.fromEntries(seen.map((attribute) => [attribute, record?.[attribute]]));
    work.update(this.#recordKey(id), {
      condition: record === undefined ? { exists: false } : { equals },
      onConditionFailed: changed,
    });
  }

  #isUnique(field: string): boolean {
    return Object.hasOwn(this.#entity.unique, field);
  }

  #valueOf(record: Item, field: string): string | undefined {
    if (!this.#isUnique(field)) return isClaimOfOwn(record) ? notedOf(record, field) : undefined;
    const value = record[field];
    return typeof value === 'string' ? this.#entity.unique[field]?.(value) : undefined;
  }

  #keyOf(field: string, value: string): Key {
    return uniqueKey(this.#scope.tenant, this.#entity.name, field, value);
  }

  #recordKey(id: string): Key {
    return { PK: recordsPartition(this.#scope.tenant, this.#entity.name), SK: ids.sortKeyOf(ids.numberOf(id)) };
  }
}

/** The fields whose values are claimed: unique ones, and those that upserts find records by. */
export const claimedFieldsOf = ({ unique, indexes }: Entity): readonly string[] => [
  ...new Set([...Object.keys(unique), ...indexes.flatMap(({ kind, fields }) => (kind === 'exact' ? fields : []))]),
];

/** The hash that a record notes as claimed, of a field that upserts claim. */
function notedOf(record: Item | undefined, field: string): string | undefined {
  const [claimed, hash] = claimedIn(record ?? {}) ?? [];
  return claimed === field && schema.isRecord(record) ? hash : undefined;
}

function textOf(holder: unknown, expected: string | undefined, misnoting: readonly string[]): string {
  if (holder === expected) return `is noted as claimed by ${misnoting.join(' and ')}, and is not`;
  return expected === undefined
    ? `is claimed by ${holder}, which does not have it`
    : `is not claimed by ${expected}, which has it`;
}

/** Most records of one value that are read: a transaction holds a hundred items. */
const MOST = 50;
