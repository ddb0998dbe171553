import { type Item, ids, indexes, type Key, readPartition, schema, type UnitOfWork } from '@custodia/counted-lists';
import { type Entity, tenantPartition, uniqueKey } from '#table';
import { CLAIMED, claimedIn, isClaimOfOwn } from '#table/storage';
import { changed, type Look, NOTHING, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { concurrently, readTogether, recordsByNumber } from './reading.ts';
import type { Check } from './scan-records.ts';
import { Sums } from './scan-records.ts';

type Value = Pick<Holding, 'field' | 'value'>;

/** That a record has a value, or that it is claimed for the record. */
interface Holding {
  readonly field: string;
  readonly value: string;
  readonly id: string;
}

/**
 * Verifies unique values: each must be claimed by the only record that has it. So it verifies the values that upserts
 * have claimed, which their records note: a record has such a value if it notes it and the field still has it.
 */
export class Claims implements Check {
  readonly #scope: VerifyContext;
  readonly #entity: Entity;
  readonly #partition: string;
  /** Sums of the values that records have, less those that are claimed for them. */
  readonly #sums = new Sums();

  constructor(scope: VerifyContext, entity: Entity) {
    this.#scope = scope;
    this.#entity = entity;
    this.#partition = tenantPartition(scope.tenant, entity.name);
  }

  visit({ name }: Entity, record: Item, number: number): void {
    if (name !== this.#entity.name) return;
    for (const holding of this.#holdingsOf(record)) this.#sums.add(number, JSON.stringify(holding), 1);
    if (this.#notedBy(record).length > 0 && !isClaimOfOwn(record)) this.#sums.add(number, 'wrong note', 1);
  }

  async verify(): Promise<Verified[]> {
    for await (const claim of this.#claims()) this.#sums.add(numberOf(claim.id), JSON.stringify(claim), -1);
    const byValue = Map.groupBy(await this.#suspected(this.#sums.differing()), nameOf);
    return concurrently([...byValue.values()], (holdings) =>
      verifyUntilStable(this.#scope, this.#subjectOf(holdings), () => this.#look(holdings)),
    );
  }

  async *#claims(): AsyncGenerator<Holding> {
    for (const field of claimedFieldsOf(this.#entity))
      for await (const { SK, holder } of readPartition(this.#scope, this.#keyOf({ field, value: '' }).PK))
        yield { field, value: String(SK), id: String(holder) };
  }

  /** What records of these numbers have, and what is claimed for them. */
  async #suspected(numbers: readonly number[]): Promise<readonly Holding[]> {
    if (numbers.length === 0) return [];
    const records = [...(await recordsByNumber(this.#scope, this.#partition, numbers)).values()];
    const found = records.flatMap((record) => [...this.#holdingsOf(record), ...this.#notedBy(record)]);
    const among = new Set(numbers);
    for await (const claim of this.#claims()) if (among.has(numberOf(claim.id))) found.push(claim);
    return found;
  }

  /** Reads the claim of a value and the records that may have it, as of one moment. */
  async #look(holdings: readonly Holding[]): Promise<Look> {
    const subject = this.#subjectOf(holdings);
    const isSame = (one: Value): boolean => nameOf(one) === nameOf(subject);
    const key = this.#keyOf(subject);
    const numbersIn = ({ holder = [] }: Item = {}): number[] =>
      [...new Set([holder, holdings.map(({ id }) => id)].flat().map((id) => numberOf(String(id))))].slice(0, MOST);
    const [claim, ...records] = await readTogether(this.#scope, key, (found) =>
      numbersIn(found).map((number) => this.#recordKey(number)),
    );
    const holders = numbersIn(claim).map((number, index) => {
      const record = records[index] ?? {};
      return { number, record, id: String(record.id) };
    });
    const having = holders.filter(({ record }) => this.#holdingsOf(record).some(isSame));
    const holder = claim?.holder;
    const expected = (having.find(({ id }) => id === holder) ?? having[0])?.id;
    const misnoting = holders.filter(({ id, record }) => id !== expected && this.#notedBy(record).some(isSame));
    if (having.length > 1 && this.#isUnique(subject.field))
      return { found: [['not-unique', `is the value of ${listOf(having)}`]], subject: { ...subject, id: expected } };
    if (holder === expected && misnoting.length === 0) return NOTHING;
    return {
      found: [['unique-value', textOf(holder, expected, listOf(misnoting))]],
      subject: { ...subject, id: expected },
      repair: (work) => {
        for (const each of holders) this.#stageAsRead(work, each, misnoting.includes(each));
        const asRead = claim === undefined ? { exists: false } : { equals: { holder } };
        if (holder === expected) return;
        if (expected === undefined) work.delete(key, asRead, changed);
        else work.put({ ...key, holder: expected }, changed, asRead);
      },
    };
  }

  /** Stages the condition that a record is as read, or still missing. */
  #stageAsRead(
    work: UnitOfWork,
    { number, record }: { readonly number: number; readonly record: Item },
    isMisnoting: boolean,
  ): void {
    const seen = ['id', schema.VERSION, indexes.SETS, CLAIMED];
    const equals = Object.fromEntries(seen.map((attribute) => [attribute, record[attribute]]));
    const remove = isMisnoting ? [CLAIMED] : [];
    work.update(this.#recordKey(number), { remove, condition: { equals }, onConditionFailed: changed });
  }

  #subjectOf(holdings: readonly Holding[]) {
    const [{ field, value }] = holdings as readonly [Holding];
    return { entity: this.#entity.name, field, value, name: `${field} ${JSON.stringify(value)}` };
  }

  #holdingsOf(record: Item): Holding[] {
    const id = String(record.id);
    const unique = Object.entries(this.#entity.unique).flatMap(([field, normalize]) => {
      const value = record[field];
      return typeof value === 'string' && normalize !== undefined ? [{ field, value: normalize(value), id }] : [];
    });
    return isClaimOfOwn(record) ? [...unique, ...this.#notedBy(record)] : unique;
  }

  /** The hash that a record notes as claimed, of a field that upserts claim. */
  #notedBy(record: Item): Holding[] {
    const [field = '', value = ''] = claimedIn(record) ?? [];
    const isClaimed = claimedFieldsOf(this.#entity).includes(field) && !this.#isUnique(field);
    return isClaimed ? [{ field, value, id: String(record.id) }] : [];
  }

  #isUnique(field: string): boolean {
    return Object.hasOwn(this.#entity.unique, field);
  }

  #keyOf({ field, value }: Value): Key {
    return uniqueKey(this.#scope.tenant, this.#entity.name, field, value);
  }

  #recordKey(number: number): Key {
    return { PK: this.#partition, SK: ids.sortKeyOf(number) };
  }
}

const listOf = (records: readonly { readonly id: string }[]): string => records.map(({ id }) => id).join(' and ');

const nameOf = ({ field, value }: Value): string => `${field}=${value}`;

/** What is no id has that of the first record. */
const numberOf = (id: string): number => ids.numberOf(id) || 0;

/** The fields whose values are claimed: unique ones, and those that upserts find records by. */
export const claimedFieldsOf = ({ unique, indexes }: Entity): readonly string[] => [
  ...new Set([...Object.keys(unique), ...indexes.flatMap(({ kind, fields }) => (kind === 'exact' ? fields : []))]),
];

function textOf(holder: unknown, expected: string | undefined, misnoting: string): string {
  if (holder === expected) return `is noted as claimed by ${misnoting}, and is not`;
  return expected === undefined
    ? `is claimed by ${holder}, which does not have it`
    : `is not claimed by ${expected}, which has it`;
}

/** Most records of one value that are read: a transaction holds a hundred items. */
const MOST = 50;
