import {
  type AllocatedNumber,
  Condition,
  type Item,
  ids,
  type Key,
  listErrors,
  type OnConditionFailed,
  schema,
  storedSets,
  type UnitOfWork,
} from '#lists';
import { StaleRead } from '../errors.ts';
import type { TenantId } from '../keys.ts';
import type { RequestSession } from '../session/request-session.ts';
import { DerivedFields } from './derived-fields.ts';
import { stageDerived } from './derived-from-references.ts';
import { type Entity, toAttributes } from './entity.ts';
import { CLAIMED, isFoundByValue } from './exact-values.ts';
import { FilterSets } from './filter-sets.ts';
import { noteValues } from './filter-values.ts';
import { flagsByCounters, flagsOf } from './flags.ts';
import { notedIn, noteOf, orderIndexOf, SETS } from './list-indexes.ts';
import { expiryOfRecord, type Location, RecordReader } from './record-reader.ts';
import { checkSize, checkSizes, sizeOf, unitsToCreate } from './record-size.ts';
import { wordsAsRead, wordsToNote } from './record-words.ts';
import type { NewRecord, NewRecordPlace, Stored } from './records.ts';
import { References } from './references.ts';
import { UniqueConstraints } from './unique-constraints.ts';

/** Is called for what happens to records of a kind, and stages an event of it: for the audit log, for the journal. */
export interface RecordObserver {
  /** `place` resolves when the record has its number, so that record and event allocate their numbers in parallel. */
  readonly created: (place: Promise<Pick<NewRecordPlace, 'id'>>, fields: readonly string[]) => Promise<void>;
  readonly changed: (id: string, fields: readonly string[], change: RecordChange) => Promise<void>;
  /** @param version one more than the record had */
  readonly removed?: (id: string, version: number) => Promise<void>;
}

/** A record before a change, and as it will be. */
export interface RecordChange {
  readonly before: object;
  readonly after: object;
  readonly version: number;
}

interface UpdateOptions<T> {
  /** Names for the audit event, besides the changed fields. */
  readonly alsoAudited?: readonly string[];
  /** The time of an order, which moves forward with the change. Where others move it at the same time, the change is made all the same. */
  readonly moves?: keyof T & string;
}

/**
 * The records of one kind in one partition of one tenant. Writes are staged in the session's unit of work, whose commit waits for them.
 * Made only by the tenant handle (`tenant.ts`).
 */
export class Repository<T extends object, F extends keyof T & string = keyof T & string> extends RecordReader<T, F> {
  readonly #unique: UniqueConstraints<T>;
  readonly #observers: readonly RecordObserver[];

  constructor(
    session: RequestSession,
    tenant: TenantId,
    entity: Entity<T, F>,
    location: Location,
    observers: readonly RecordObserver[] = [],
  ) {
    super(session, tenant, entity, location);
    this.#unique = new UniqueConstraints(tenant, entity);
    this.#observers = observers;
  }

  /** Allocates a number and stages a new record under it. @throws RecordTooLarge */
  create<L extends keyof T = never>(record: NewRecord<T, L>): Promise<Stored<T>> {
    return this.session.changes.staging(this.#create(record));
  }

  async #create<L extends keyof T>({
    fields,
    deferred: deferredFields = () => ({}) as Pick<T, L>,
    generated = [],
    alsoAudited = [],
  }: NewRecord<T, L>): Promise<Stored<T>> {
    this.#noteValues(fields);
    stageDerived(this, undefined, fields);
    const allocating = this.#allocate();
    const placing = allocating.then(
      ({ number }): NewRecordPlace => ({
        id: ids.newId(number),
        ordinal: number + 1,
        collisions: this.session.numbers.collisions,
      }),
    );
    const create = async (): Promise<Stored<T>> => {
      const [allocated, place] = await Promise.all([allocating, placing]);
      const deferred = await deferredFields(place);
      this.#noteValues(deferred);
      const record = { id: place.id, ...fields, ...deferred } as unknown as T;
      this.#unique.claim(this.work, record, place.id, (field) =>
        generated.some((name) => name === field) ? () => this.session.numbers.noteCollision() : undefined,
      );
      const size = checkSize(this.entity, record);
      if (size > allocated.largest) this.#noteLargest(size);
      return this.#stageNew(record, place.id, allocated);
    };
    const names = [...new Set([...namesOf(fields), ...alsoAudited])];
    const [stored] = await Promise.all([create(), ...this.#observers.map(({ created }) => created(placing, names))]);
    return stored;
  }

  /**
   * Allocates a range of numbers and stages new records under it, in order. Without events and deferred fields.
   * @throws RecordTooLarge before a number is allocated, with the indexes of all records that are too large
   * @throws what {@link RequestSession.expectUnits} throws
   */
  createAll(all: readonly Omit<T, 'id'>[]): Promise<readonly Stored<T>[]> {
    return this.session.changes.staging(this.#createAll(all));
  }

  async #createAll(all: readonly Omit<T, 'id'>[]): Promise<readonly Stored<T>[]> {
    const sizes = all.map((fields) => sizeOf(this.entity, { id: ids.newId(0), ...fields } as unknown as T));
    checkSizes(sizes);
    this.session.expectUnits?.(unitsToCreate(sizes));
    for (const fields of all) {
      this.#noteValues(fields);
      stageDerived(this, undefined, fields);
    }
    const allocated = await this.session.numbers.allocateAll(this.tenant, this.lists.list, all.length);
    const largest = Math.max(...sizes);
    if (allocated.some((each) => largest > each.largest)) this.#noteLargest(largest);
    return allocated.map((each, index) => {
      const id = ids.newId(each.number);
      const record = { id, ...all[index] } as unknown as T;
      this.#unique.claim(this.work, record, id, () => undefined);
      return this.#stageNew(record, id, each);
    });
  }

  #stageNew(record: T, id: string, allocated: AllocatedNumber): Stored<T> {
    const { number, expires } = allocated;
    const kept = this.lists.keptByNew(allocated.filters);
    this.#noteUnbuilt(allocated);
    this.#noteValuesOfOthers(kept, record);
    const flags = flagsOf(this.entity, record);
    const words = wordsToNote(this.entity, record as Item);
    const item = {
      ...this.keyOf(id),
      ...toAttributes(this.entity, record),
      ...Object.fromEntries(Object.entries(flags).filter(([, isTrue]) => isTrue)),
      ...noteOf(kept),
      ...words,
      ...(expires === undefined ? {} : { [schema.TTL]: expires }),
      [schema.VERSION]: 1,
    };
    this.work.put(
      item,
      (found) => refusalAt(found) ?? this.session.numbers.fenced(allocated),
      undefined,
      (found) => found.id === id || found[DELETED] === id,
    );
    this.lists.stageMove(this.work, { number, expires, kept }, undefined, { ...record, ...flags, ...words });
    this.countChild();
    return { record, version: 1, item };
  }

  /** A list that will lack the record is not served until the operator has built it again: this is noted before the record is written. */
  #noteUnbuilt({ list, filters }: AllocatedNumber): void {
    const indexes = this.lists.unbuiltByNew(filters);
    if (indexes.length > 0) this.session.numbers.noteUnbuilt(this.tenant, list, indexes);
  }

  /**
   * Stages that a record claims its value of a field that is found by entries (`exact-values.ts`), unless it has done so. The commit throws
   * {@link NotUnique} when another record has claimed it, and {@link StaleRead} when the record has changed.
   * @param item the record as read; undefined for one that is staged
   */
  claimValue(id: string, item: Item | undefined, field: keyof T & string, value: string): void {
    this.#unique.claimValue(this.work, { ...this.keyOf(id), id, [CLAIMED]: item?.[CLAIMED] }, field, value);
  }

  /** Begins to allocate a number in advance, for the next record that is created here. */
  prepare(): void {
    this.session.numbers.prepare(this.tenant, this.lists.list);
  }

  /**
   * Stages a record under its own id, for a kind with a `single` record. `onConditionFailed` returns the error when it exists.
   * @param internal resolves to further attributes
   */
  createSingle(
    record: T & { readonly id: string },
    onConditionFailed: OnConditionFailed,
    internal: Promise<Item>,
  ): Promise<Stored<T>> {
    return this.session.changes.staging(this.#createSingle(record, onConditionFailed, internal));
  }

  async #createSingle(
    record: T & { readonly id: string },
    onConditionFailed: OnConditionFailed,
    internal: Promise<Item>,
  ): Promise<Stored<T>> {
    checkSize(this.entity, record);
    const events = this.#observers.map(({ created }) => created(Promise.resolve(record), namesOf(record)));
    const [further] = await Promise.all([internal, ...events]);
    const item = { ...this.keyOf(record.id), ...toAttributes(this.entity, record), ...further, [schema.VERSION]: 1 };
    this.work.put(item, onConditionFailed);
    return { record, version: 1, item };
  }

  /**
   * Stages a change of a record as read.
   * @returns the record, with the time of this request where others have moved it further
   * @throws RecordTooLarge
   */
  update(stored: Stored<T>, given: Partial<T>, options: UpdateOptions<T> = {}): Promise<Stored<T>> {
    return this.session.changes.staging(this.#update(stored, given, options));
  }

  async #update(
    stored: Stored<T>,
    given: Partial<T>,
    { alsoAudited = [], moves }: UpdateOptions<T>,
  ): Promise<Stored<T>> {
    const changes = moves === undefined ? given : { ...given, [moves]: this.derived.forward(stored, moves) };
    const record = { ...stored.record, ...changes };
    const version = stored.version + 1;
    const size = checkSize(this.entity, record);
    if (size > sizeOf(this.entity, stored.record)) this.#noteLargest(size);
    const { item } = stored;
    // Also notes the values that the record leaves, because their sets may be older than the notes.
    this.#noteValues(changes);
    this.#noteValues(Object.fromEntries(Object.keys(changes).map((field) => [field, item[field]])));
    // An older record enters the sets of filters that were added later, whatever is changed.
    const entered = this.entity.openFilters.filter((field) => !notedIn(item).includes(field));
    this.#noteValues(record, entered);
    const names = [...Object.keys(changes), ...alsoAudited];
    const change = { before: stored.record, after: record, version };
    await Promise.all(this.#observers.map(({ changed }) => changed(String(item.id), names, change)));
    const kept = this.lists.kept(notedIn(item));
    this.#noteValuesOfOthers(kept, item);
    this.#noteValuesOfOthers(kept, record);
    const flags = this.#flagsAfter(item, record);
    const words = wordsToNote(this.entity, { ...item, ...record });
    // Once a record is in the order, its time is expected on its own: it may be another when this is committed.
    const expected = this.#orderedBy(item).find((field) => field === moves);
    const timesAsRead = this.entity.orders.filter((field) => field !== expected);
    const staged = expected === undefined ? kept : kept.filter((index) => index !== orderIndexOf(expected));
    const after = { ...item, ...record, ...flags.changed, ...words };
    this.lists.stageMove(this.work, this.#entryOf(item, staged), item, after);
    const attributes = toAttributes(this.entity, changes);
    if (expected !== undefined) delete attributes[expected];
    const changed = { ...attributes, ...flags.changed, ...words };
    this.work.noteSize(this.#keyIn(item), { ...item, ...changed });
    this.work.update(this.#keyIn(item), {
      set: {
        ...changed,
        ...(kept.length === notedIn(item).length ? {} : noteOf(kept)),
        [schema.VERSION]: version,
      },
      condition: { equals: { ...this.#asRead(stored, timesAsRead), ...flags.asRead } },
      onConditionFailed: stale,
    });
    if (expected !== undefined) this.derived.move(stored, expected, stale);
    this.#unique.move(this.work, stored.record, record, String(item.id));
    this.#unique.releaseValue(this.work, item, record as Item);
    stageDerived(this, stored.record, record);
    return { record, version, item };
  }

  /**
   * The flags of a record that a change changes. Those by counters change with the counters, but for records that are older than the flag, or were
   * changed by a release that does not know it: then the change is made on condition that the counter is as read.
   */
  #flagsAfter(item: Item, record: T): { readonly changed: Item; readonly asRead: Item } {
    const flags = Object.entries(flagsOf(this.entity, record));
    const noted = notedIn(item);
    const affected = flags.filter(([flag, isTrue]) => (item[flag] ?? null) !== isTrue || !noted.includes(flag));
    const counters = flagsByCounters(this.entity).filter(({ flag }) => affected.some(([name]) => name === flag));
    return {
      changed: Object.fromEntries(affected.filter(([flag, isTrue]) => (item[flag] ?? null) !== isTrue)),
      asRead: Object.fromEntries(
        counters.flatMap(({ flag, counter }) => [flag, counter].map((name) => [name, item[name]])),
      ),
    };
  }

  /**
   * Stages the deletion of a record as read. Where only times of its orders have moved since, it is deleted all the same.
   * `equals`: further conditions, such as a counter that is 0.
   */
  remove(
    stored: Stored<T>,
    equals: Readonly<Record<string, unknown>> = {},
    onConditionFailed?: OnConditionFailed,
  ): Promise<void> {
    return this.session.changes.staging(this.#remove(stored, equals, onConditionFailed));
  }

  async #remove(
    stored: Stored<T>,
    equals: Readonly<Record<string, unknown>>,
    onConditionFailed: OnConditionFailed | undefined,
  ): Promise<void> {
    const { item } = stored;
    const key = this.#keyIn(item);
    const ordered = this.#orderedBy(item);
    const orders = ordered.map(orderIndexOf);
    const refusal: OnConditionFailed = (found) => {
      if (found === undefined || !this.#isAsRead(found, stored)) return stale();
      if (!Condition.isMet({ equals }, found)) return onConditionFailed?.(found) ?? stale();
      return new listErrors.Unexpected(key, found);
    };
    const stage = (work: UnitOfWork, found: Item): void => {
      const times = Object.fromEntries(ordered.map((field) => [field, found[field]]));
      work.put(this.#tombstoneOf(item), refusal, { equals: { ...this.#asRead(stored, []), ...times, ...equals } });
      this.lists.stageMove(work, this.#entryOf(item, orders), found, undefined);
    };
    if (orders.length === 0) stage(this.work, item);
    else this.work.expect(key, (work, found = item) => stage(work, found));
    this.#stageAbsence(stored, orders);
    stageDerived(this, stored.record, undefined);
    await Promise.all(this.#observers.map(({ removed }) => removed?.(String(item.id), stored.version + 1)));
  }

  /** Stages the deletion of a copy of a record, as read, that leaves nothing in its place and no event. */
  erase(stored: Stored<T>): void {
    this.work.delete(this.#keyIn(stored.item), { equals: this.#asRead(stored) }, stale);
    this.#stageAbsence(stored);
  }

  /** Stages that a record is in no list and claims nothing. `but`: indexes that are staged elsewhere. */
  #stageAbsence(stored: Stored<T>, but: readonly string[] = []): void {
    const { item } = stored;
    this.#noteValues(item);
    this.#noteValuesOfOthers(notedIn(item), item);
    this.work.noteSize(this.#keyIn(item), item);
    const entry = this.#entryOf(item, notedIn(item));
    if (!this.entity.byTime) storedSets.stageGap(this.work, { ...entry, partition: this.location.partition });
    const kept = entry.kept.filter((index) => !but.includes(index));
    this.lists.stageMove(this.work, { ...entry, kept }, item, undefined);
    this.#unique.unclaim(this.work, stored.record, item);
  }

  get references(): References<T> {
    return new References(this);
  }

  get derived(): DerivedFields<T> {
    return new DerivedFields(this);
  }

  get filterSets(): FilterSets<T> {
    return new FilterSets(this);
  }

  /** Stages the parent's count of the new record, where there is a parent (`child-repository.ts`). */
  protected countChild(): void {}

  protected get work(): UnitOfWork {
    return this.session.changes.of(this.tenant);
  }

  #noteValues(fields: object, filters: readonly string[] = this.entity.openFilters): void {
    const { session, table, entity } = this;
    noteValues({ session, table, entity, partition: this.location.partition }, fields, filters);
  }

  /** Notes the values of filters that only another version of the service declares: it is not known here whether callers choose them. */
  #noteValuesOfOthers(kept: readonly string[], fields: object): void {
    this.#noteValues(fields, this.lists.filtersOfOthers(kept));
  }

  #noteLargest(size: number): void {
    const { byTime, single } = this.entity;
    if (!byTime && !single) this.session.numbers.noteLargest(this.tenant, this.lists.list, size);
  }

  /**
   * Takes the place of a deleted record for a day. It refuses a delayed retry of the record's write, and a deletion
   * whose reply was lost recognizes it.
   */
  #tombstoneOf(item: Item): Item & Key {
    return { ...this.#keyIn(item), ...schema.tombstoneOfDay(this.session.now), [DELETED]: item.id };
  }

  #keyIn(item: Item): Key {
    return { PK: String(item.PK), SK: String(item.SK) };
  }

  #entryOf(item: Item, kept: readonly string[]) {
    return { number: ids.numberIn(String(item.SK)), expires: expiryOfRecord(item), kept };
  }

  /**
   * The condition that a record is as read. Its sets are part of it: the operator may add it to further ones meanwhile (`verify/`). So are the times
   * of its orders, which move without raising the version, but for those that are expected on their own.
   */
  #asRead(
    { item, version }: Stored<T>,
    timeFields: readonly string[] = this.entity.orders,
  ): Readonly<Record<string, unknown>> {
    const times = timeFields.map((field) => [field, item[field]] as const);
    return {
      id: item.id,
      [schema.VERSION]: version,
      [SETS]: item[SETS],
      ...wordsAsRead(item),
      // An upsert claims a value without a new version.
      ...(isFoundByValue(item) ? { [CLAIMED]: item[CLAIMED] } : {}),
      ...Object.fromEntries(times),
    };
  }

  /** Whether only times of its orders have changed, if anything. */
  #isAsRead(found: Item, stored: Stored<T>): boolean {
    return Object.entries(this.#asRead(stored, [])).every(([attribute, value]) => found[attribute] === value);
  }

  /** The times in whose orders a record is. */
  #orderedBy(item: Item): readonly (keyof T & string)[] {
    return this.entity.orders.filter((field) => notedIn(item).includes(orderIndexOf(field)));
  }

  #allocate(): Promise<AllocatedNumber> {
    const { list } = this.lists;
    return this.entity.byTime
      ? Promise.resolve({
          list,
          number: this.session.now,
          expires: undefined,
          filters: [],
          largest: 0,
        })
      : this.session.numbers.allocate(this.tenant, list);
  }
}

/** Attribute of the tombstone of a deleted record: its id. */
const DELETED = 'DELETED';

/**
 * The error of a new record when there is already a record at its number. Only this request has the number, so an
 * earlier run of the operation wrote that record: its attempt was carried out although it seemed to be refused.
 */
const refusalAt = (found: Item | undefined): Error | undefined =>
  schema.isRecord(found) ? new listErrors.TableUnavailable('an earlier attempt was carried out late') : undefined;

const stale = (): StaleRead => new StaleRead('the record has changed');

/** The fields that have a value. */
const namesOf = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === null || value === undefined ? [] : [name]));
