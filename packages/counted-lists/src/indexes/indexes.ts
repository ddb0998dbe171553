import { isDeepStrictEqual } from 'node:util';
import { bitPlace, trashKeyOf } from '../bits.ts';
import type { EntryItem } from '../entries-in-advance.ts';
import { numberIn, sortKeyOf } from '../ids.ts';
import { AT, type Item, type Key, TTL, WRITE_ID } from '../schema.ts';
import * as storedSets from '../stored-sets.ts';
import type { UnitOfWork } from '../transaction/unit-of-work.ts';
import {
  exactNamed,
  type FlagIndex,
  orderNamed,
  queueNamed,
  setIndex,
  storedFlag,
  wordsNamed,
} from './field-indexes.ts';
import {
  type BitEntry,
  END,
  type Entry,
  entryIn,
  entryName,
  type Finder,
  itemsPartition,
  type ListIndex,
  namesIn,
  SETS,
  without,
} from './list-index.ts';

/** What a change of a record changes in its indexes. */
interface EntryChange {
  readonly left: readonly Entry[];
  readonly entered: readonly Entry[];
  /** What the record's item must be for that, besides its version: attributes that may change without one. */
  readonly asRead: Item;
}

/**
 * The indexes of one list: what its records have in them, and the writes that follow from that.
 * @example
 * const found = new Indexes('TICKETS', [setIndex('status', () => false), orderIndex('due_on')]);
 * found.stage(work, item, found.change(undefined, item));
 */
export class Indexes {
  readonly #list: string;
  readonly #byName = new Map<string, ListIndex>();
  readonly #inAdvance: ReadonlySet<string>;
  /** All by which this release finds records. */
  readonly finders: readonly Finder[];
  /** The indexes among them to which it writes records. */
  readonly declared: readonly ListIndex[];

  /** @param list partition of the records */
  constructor(list: string, finders: readonly Finder[]) {
    this.#list = list;
    this.finders = finders;
    this.declared = finders.filter((finder): finder is ListIndex => 'name' in finder);
    for (const index of this.declared) this.#byName.set(index.name, index);
    this.#inAdvance = new Set(this.declared.flatMap(({ isInAdvance, items = [] }) => (isInAdvance ? items : [])));
  }

  /** The names of those that new records enter. */
  get names(): readonly string[] {
    return this.declared.filter(({ isLeftOut }) => isLeftOut?.() !== true).map(({ name }) => name);
  }

  /** The names of those that new records do not enter. */
  get leftOut(): readonly string[] {
    return this.declared.filter(({ isLeftOut }) => isLeftOut?.() === true).map(({ name }) => name);
  }

  /** The flags that follow a counter. */
  get counted(): readonly (FlagIndex & { readonly counter: string })[] {
    return this.declared.filter((index): index is FlagIndex & { counter: string } => 'counter' in index);
  }

  /** The index of a name. One that only another release declares is of the kind that its name says. */
  named(name: string): ListIndex {
    return (
      this.#byName.get(name) ??
      wordsNamed(name) ??
      exactNamed(name) ??
      orderNamed(name) ??
      queueNamed(name) ??
      setIndex(name, () => true)
    );
  }

  /**
   * An item with what it keeps for its indexes: it enters those that are declared, and stays in those of other
   * releases. So lists stay correct while two releases run and one of them declares a further index.
   * @param further names of indexes of other releases which a new record enters
   */
  withNotes<I extends Item>(
    item: I,
    further: readonly string[] = [],
    by: 'change' | 'verification' = 'change',
  ): I & Item {
    const names = [...new Set([...namesIn(item), ...this.names, ...further])];
    const notes = names.map((name) => this.named(name).notesOf?.(item, by));
    return Object.assign({}, item, ...notes, names.length === 0 ? undefined : { [SETS]: names.join(' ') });
  }

  /** Whether an item names an index as one in which its record is. */
  static isIn(item: Item, name: string): boolean {
    return namesIn(item).includes(name);
  }

  /** A name that equal entries share. */
  static readonly nameOf = entryName;

  /** What a record has in the indexes that its item names. */
  entriesIn(item: Item): readonly Entry[] {
    return namesIn(item).flatMap((name) => this.named(name).entriesOf(item));
  }

  /** The key of the item that has an entry. */
  keyOf(entry: Entry, number: number): Key {
    return 'items' in entry
      ? { PK: itemsPartition(this.#list, entry.items), SK: `${entry.text}${END}${sortKeyOf(number)}` }
      : { PK: storedSets.partitionOf(this.#list, entry.field, entry.value), SK: bitPlace(number).sortKey };
  }

  /** The entry and the number of an item; undefined for other items. */
  entryOf({ PK, SK, [WRITE_ID]: _, [AT]: __, ...attributes }: Item) {
    const found = entryIn(String(SK));
    if (found === undefined) return undefined;
    const entry = { items: String(PK).slice(this.#list.length + 1), text: found.text };
    return { number: found.number, entry: Object.keys(attributes).length === 0 ? entry : { ...entry, attributes } };
  }

  /** The attributes by which a record is noted as one with a flag, or without it: it enters the index of the flag. */
  static flagNote(item: Item, flag: string, isTrue: boolean): Item {
    const names = namesIn(item);
    const entered = names.includes(flag) ? {} : { [SETS]: [...names, flag].join(' ') };
    return { [flag]: storedFlag(isTrue), ...entered };
  }

  /** The names of the indexes for which a record notes what does not follow from its fields. */
  wronglyNoted(item: Item): readonly string[] {
    return namesIn(item).filter(
      (name) => Object.keys(this.named(name).notesOf?.(item, 'verification') ?? {}).length > 0,
    );
  }

  /** The attributes by which entries may move without a new version of their record. */
  get movable(): readonly string[] {
    return this.declared.flatMap(({ movable = [] }) => movable);
  }

  /** An entry by the name of its index: `status=open`. */
  titleOf(entry: Entry): string {
    if (!('items' in entry)) return `${entry.field}=${entry.value}`;
    return `${this.declared.find(({ items }) => items?.includes(entry.items))?.name ?? entry.items}=${entry.text}`;
  }

  /** The fields whose values have sets. */
  get setFields(): readonly string[] {
    return this.declared.filter(({ items }) => items === undefined).map(({ field }) => field);
  }

  /** The partitions of the items of indexes, with the names of these. */
  get itemPartitions(): readonly { readonly name: string; readonly partition: string }[] {
    return this.declared.flatMap(({ name, items = [] }) =>
      items.map((each) => ({ name, partition: itemsPartition(this.#list, each) })),
    );
  }

  /** The values of a new record in sets whose values callers choose, by its fields. */
  openValuesOf(fields: Item): readonly BitEntry[] {
    const open = this.declared.filter(({ isOpen }) => isOpen?.() === true);
    return this.openValues(open.flatMap((index) => index.entriesOf(fields)));
  }

  /** Whether a record is found by exact values that are not unique. */
  hasExact(item: Item): boolean {
    return namesIn(item).some((name) => exactNamed(name) !== undefined);
  }

  /** The values of those entries that are in sets whose values callers choose. */
  openValues(entries: readonly Entry[]): readonly BitEntry[] {
    return entries.filter(
      (entry): entry is BitEntry => 'field' in entry && this.named(entry.field).isOpen?.() === true,
    );
  }

  /** Whether a record is in indexes whose entries may move without a new version. */
  areMovable(item: Item): boolean {
    return namesIn(item).some((name) => this.named(name).movable !== undefined);
  }

  /** @param before undefined for a new record @param after undefined for one that is deleted */
  change(before: Item | undefined, after: Item | undefined): EntryChange {
    const [left, entered, movable]: [Entry[], Entry[], string[]] = [[], [], []];
    const [had, has] = [namesIn(before), namesIn(after)];
    for (const name of new Set([...had, ...has])) {
      const index = this.named(name);
      const [old, next] = [
        had.includes(name) ? index.entriesOf(before ?? {}) : [],
        has.includes(name) ? index.entriesOf(after ?? {}) : [],
      ];
      const gone = without(old, next, isAtOnePlace);
      const added = without(next, old, isDeepStrictEqual);
      left.push(...gone);
      entered.push(...added);
      const isChanged =
        gone.length + added.length > 0 ||
        had.includes(name) !== has.includes(name) ||
        index.movable?.some((attribute) => before?.[attribute] !== after?.[attribute]);
      if (isChanged && before !== undefined) movable.push(...(index.movable ?? []));
    }
    return { left, entered, asRead: Object.fromEntries(movable.map((attribute) => [attribute, before?.[attribute]])) };
  }

  /** Stages what a new record enters. @returns the entries that are written before it */
  stageNew(work: UnitOfWork, item: Item, entered: readonly Entry[]): readonly EntryItem[] {
    const number = numberIn(String(item.SK));
    return entered.flatMap((entry) => {
      if ('items' in entry && this.#inAdvance.has(entry.items))
        return [{ ...entry.attributes, ...this.keyOf(entry, number) }];
      this.#stage(work, item, entry, 1n);
      return [];
    });
  }

  /** Stages a change. @param item of the record: its number, and when it expires */
  stage(work: UnitOfWork, item: Item, { left, entered }: Pick<EntryChange, 'left' | 'entered'>): void {
    for (const entry of left) this.#stage(work, item, entry, -1n);
    for (const entry of entered) this.#stage(work, item, entry, 1n);
  }

  /** Stages that the number of a record gets a gap, because the record is deleted. */
  stageGap(work: UnitOfWork, { SK, [TTL]: expires }: Item): void {
    const number = numberIn(String(SK));
    stageBit(work, { PK: storedSets.partitionOf(this.#list), SK: bitPlace(number).sortKey }, number, expires, 1n);
  }

  /** Stages that the number of a record comes among those that can be restored, or leaves them. */
  stageTrash(work: UnitOfWork, { SK }: Item, sign: 1n | -1n): void {
    const number = numberIn(String(SK));
    stageBit(work, { PK: storedSets.partitionOf(this.#list), SK: trashKeyOf(number) }, number, undefined, sign);
  }

  #stage(work: UnitOfWork, item: Item, entry: Entry, sign: 1n | -1n): void {
    const number = numberIn(String(item.SK));
    const key = this.keyOf(entry, number);
    if (!('items' in entry)) stageBit(work, key, number, item[TTL], sign);
    // The key has the record's number, and the record's own condition is in the same transaction.
    else if (sign === 1n) work.put({ ...entry.attributes, ...key }, unexpected, {});
    else work.delete(key, {}, unexpected);
  }
}

/**
 * Stages that a number enters or leaves a set, or the gaps. `ADD` is safe here, because a transaction is applied
 * exactly once.
 * @param key of the item with its bit @param expires when the record expires: no bit is needed afterwards
 */
function stageBit(work: UnitOfWork, key: Key, number: number, expires: unknown, sign: 1n | -1n): void {
  const { word, bit } = bitPlace(number);
  const ttl = typeof expires === 'number' ? { set: { [TTL]: storedSets.expiryAfter(expires) } } : {};
  work.update(key, { add: { [word]: sign * bit }, ...ttl });
}

const unexpected = (): Error => new Error('a write without a condition was refused');

const isAtOnePlace = (one: Entry, other: Entry): boolean => entryName(one) === entryName(other);
