import { filterNames } from '#contract/derived';
import * as parameter from '#contract/parameter';
import { type Item, ids, type List, type ListSource, listErrors, storedSets, type UnitOfWork } from '#lists';
import { isFound, type WantedWord, wantedWords } from '../../words.ts';
import { type TenantId, uniqueKey } from '../keys.ts';
import type { Entity } from './entity.ts';
import { ExactLookups, type ExactValues } from './exact-values.ts';
import { isFlag, TRUE } from './flags.ts';
import {
  entriesOf,
  indexedValuesIn,
  indexesOf,
  notedIn,
  omittedIndexesOf,
  WORD_ENTRIES,
  WORDS,
  WORDS_INDEX,
  wordsIn,
} from './list-indexes.ts';
import { isInAll, lookupsOf, orderOf, type TimeRanges } from './orders.ts';
import { claimedFieldsOf, claimsIn, entryAttributesOf, textsIn } from './record-words.ts';
import type { Filter } from './records.ts';

type Clause = ListSource['clauses'][number];
type Lookup = ListSource['lookups'][number];
type ListedBy = Parameters<typeof storedSets.stageMove>[1]['by'];

/** Most entries of a word that are read: about 80 read units. */
const MOST_TEXTS = 2_000;

/** The lists of the records in one partition: all records, those with each value of each filter, and those with a word. */
export class EntityLists<T extends object> {
  readonly #tenant: TenantId;
  readonly #entity: Entity<T>;
  readonly #partition: string;

  constructor(tenant: TenantId, entity: Entity<T>, partition: string) {
    this.#tenant = tenant;
    this.#entity = entity;
    this.#partition = partition;
  }

  get list(): List {
    const { retentionDays, ordered } = this.#entity;
    return { partition: this.#partition, filters: indexesOf(this.#entity), retentionDays, ordered };
  }

  /**
   * The list of what is asked for.
   * @throws TypeError when the entity declares no such filter or field, or no such order
   * @throws NotOffered
   */
  source({ filter = {}, q, values = {}, ranges = {}, sortedBy }: Asked): ListSource {
    const clauses = Object.entries(filter).flatMap(([field, value]) =>
      value === undefined ? [] : this.#clausesOf(field, [...new Set([value].flat().map(String))]),
    );
    const unknown = clauses.find(({ field }) => !this.#entity.filters.some((declared) => declared === field));
    if (unknown !== undefined) throw new TypeError(`${this.#entity.name} has no filter ${unknown.field}`);
    const missing = [...Object.keys(ranges), ...(sortedBy === undefined ? [] : [sortedBy])].find(
      (field) => !this.#entity.orders.some((declared) => declared === field),
    );
    if (missing !== undefined) throw new TypeError(`${this.#entity.name} has no order by ${missing}`);
    if (q !== undefined && this.#entity.isWithoutWords?.()) throw new listErrors.NotOffered(parameter.WORDS);
    const words = q === undefined ? [] : wantedWords(q).map((wanted) => this.#lookupOf(wanted));
    const exact = new ExactLookups(this.#tenant, this.#entity, values);
    return {
      ...this.list,
      clauses,
      lookups: [...exact.lookups, ...words, ...lookupsOf(ranges)],
      order: sortedBy === undefined ? undefined : orderOf(sortedBy, ranges),
      createdAt: this.#entity.createdAt,
      matches: (item) =>
        clauses.every((clause) => isIn(item, clause)) &&
        exact.matches(item) &&
        words.every(({ decided }) => decided?.byRecord(item) ?? true) &&
        isInAll(item, ranges),
    };
  }

  /** A list has all of the values, another field any of them. The records for which a flag is not true are all others. */
  #clausesOf(field: string, values: readonly string[]): readonly Clause[] {
    if (filterNames.isList(field)) return values.map((value) => ({ field, anyOf: [value] }));
    const isExcluded = isFlag(this.#entity, field) && !values.includes(TRUE);
    return [{ field, anyOf: isExcluded ? [TRUE] : values, isExcluded }];
  }

  /** The records that a word finds, by their own words or by their claims. */
  #lookupOf(wanted: WantedWord): Lookup {
    const entity = this.#entity;
    if (entity.words.length === 0) throw new TypeError(`${entity.name} declares no words`);
    const claims = claimedFieldsOf(entity).map((field) => this.#claims(field));
    return {
      name: parameter.WORDS,
      ranges: [
        ...wanted.words.map((prefix) => ({ in: { index: WORD_ENTRIES }, texts: { prefix } })),
        ...claims.flatMap((range) => wanted.claims.map((prefix) => ({ in: range, texts: { prefix } }))),
      ],
      most: MOST_TEXTS,
      indexes: [WORDS_INDEX],
      decided: {
        byEntry: (entry) => {
          const texts = textsIn(entry);
          return texts === undefined ? undefined : isFound(wanted, texts.words, texts.claims);
        },
        byRecord: (record) => isFound(wanted, wordsIn(record), claimsIn(entity, record)),
      },
    };
  }

  /** Where the values of a unique field are. */
  #claims(field: string) {
    const { PK: partition } = uniqueKey(this.#tenant, this.#entity.name, field, '');
    return { partition, numberOf: ({ holder }: Item) => ids.numberOf(String(holder)) };
  }

  /**
   * The indexes of a record after a write: those that this version of the service declares, and those that only another
   * version declares. The record notes the latter; for a new record, the list's counter item does. So lists stay
   * correct while two versions run and one of them declares a further filter.
   */
  kept(byOthers: readonly string[]): readonly string[] {
    return [...new Set<string>([...indexesOf(this.#entity), ...byOthers])];
  }

  /** The indexes of a new record. @param noted in the list's counter item */
  keptByNew(noted: readonly string[]): readonly string[] {
    return this.kept(noted.filter((index) => !omittedIndexesOf(this.#entity).includes(index)));
  }

  /** The indexes among these that a new record is not in although its list has them. */
  unbuiltByNew(noted: readonly string[]): readonly string[] {
    return omittedIndexesOf(this.#entity).filter((index) => noted.includes(index));
  }

  /** Filters among these that another version of the service declares and this one does not. */
  filtersOfOthers(kept: readonly string[]): readonly string[] {
    const declared = indexesOf(this.#entity);
    return kept.filter((index) => !declared.includes(index) && entriesOf(index) === undefined);
  }

  /** Stages the changes of sets: the record leaves those of its `SETS`, by its fields before, and enters those it is `kept` in, by its fields after. */
  stageMove(work: UnitOfWork, entry: ListEntry, before: Item | undefined, after: Item | undefined): void {
    const noted = notedIn(before);
    const listed = { partition: this.#partition, number: entry.number, expires: entry.expires };
    for (const index of entry.kept) {
      const left = noted.includes(index) ? indexedValuesIn(before, index) : [];
      const entered = indexedValuesIn(after, index);
      storedSets.stageMove(work, { ...listed, by: this.#listedBy(index, before, after) }, left, entered);
    }
  }

  #listedBy(index: string, before: Item | undefined, after: Item | undefined): ListedBy {
    const entries = entriesOf(index);
    if (entries === undefined) return { filter: index };
    const isChanged = index === WORDS_INDEX && before?.[WORDS] !== after?.[WORDS];
    return { entries, attributes: entryAttributesOf(this.#entity, index, after), isChanged };
  }
}

/** What a list is asked for. */
interface Asked {
  readonly filter?: Filter | undefined;
  /** Words. */
  readonly q?: string | undefined;
  readonly values?: ExactValues | undefined;
  readonly ranges?: TimeRanges | undefined;
  /** The field of an order; undefined: by number. */
  readonly sortedBy?: string | undefined;
}

/** Whether a record has a value of a clause, or none of those that it excludes. */
const isIn = (item: Item, { field, anyOf, isExcluded = false }: Clause): boolean =>
  indexedValuesIn(item, field).some((value) => anyOf.includes(value)) !== isExcluded;

/** A record in its list. */
interface ListEntry {
  readonly number: number;
  /** Expiry in epoch seconds, where the record expires. */
  readonly expires: number | undefined;
  /** Its indexes (`list-indexes.ts`). */
  readonly kept: readonly string[];
}
