import { isDeepStrictEqual } from 'node:util';
import {
  type AllocatedNumber,
  Condition,
  type Item,
  ids,
  indexes,
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
import { FilterSets } from './filter-sets.ts';
import { noteValues } from './filter-values.ts';
import { expiryOfRecord, type Location, RecordReader } from './record-reader.ts';
import { checkSize, checkSizes, sizeOf, unitsToCreate } from './record-size.ts';
import type { NewRecord, NewRecordPlace, Stored } from './records.ts';
import { References } from './references.ts';
import { CLAIMED, UniqueConstraints } from './unique-constraints.ts';

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
export class Repository<T extends object> extends RecordReader<T> {
  readonly #unique: UniqueConstraints<T>;
  readonly #observers: readonly RecordObserver[];

  constructor(
    session: RequestSession,
    tenant: TenantId,
    entity: Entity<T>,
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
    this.#noteValues(this.indexes.openValuesOf(fields as Item));
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
      const record = { id: place.id, ...fields, ...deferred } as unknown as T;
      this.#unique.claim(this.work, record, place.id, (field) =>
        generated.some((name) => name === field) ? () => this.session.numbers.noteCollision() : undefined,
      );
      const size = checkSize(this.entity, record);
      if (size > allocated.largest) this.#noteLargest(size);
      return this.#stageNew(record, place.id, allocated, fields as Item);
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
      this.#noteValues(this.indexes.openValuesOf(fields as Item));
      stageDerived(this, undefined, fields);
    }
    const allocated = await this.session.numbers.allocateAll(this.tenant, this.list, all.length);
    const largest = Math.max(...sizes);
    if (allocated.some((each) => largest > each.largest)) this.#noteLargest(largest);
    return allocated.map((each, index) => {
      const id = ids.newId(each.number);
      const record = { id, ...all[index] } as unknown as T;
      this.#unique.claim(this.work, record, id, () => undefined);
      return this.#stageNew(record, id, each, record as Item);
    });
  }

  #stageNew(record: T, id: string, allocated: AllocatedNumber, given: Item): Stored<T> {
    const { expires, filters } = allocated;
    const ofOthers = filters.filter((name) => !this.indexes.leftOut.includes(name));
    this.#noteUnbuilt(allocated);
    const fields = { ...this.keyOf(id), ...toAttributes(this.entity, record) };
    const item = {
      ...this.indexes.noted(fields, ofOthers),
      ...(expires === undefined ? {} : { [schema.TTL]: expires }),
      [schema.VERSION]: 1,
    };
    this.work.put(
      item,
      (found) => refusalAt(found) ?? this.session.numbers.fenced(allocated),
      undefined,
      (found) => found.id === id || found[DELETED] === id,
    );
    const change = this.indexes.change(undefined, item);
    // Those of its fields were noted before: here are deferred ones, and those of other releases.
    const known = new Set(this.indexes.openValuesOf(given).map(({ field }) => field));
    this.#noteValues(this.indexes.openValues(change.entered).filter(({ field }) => !known.has(field)));
    this.indexes.stage(this.work, item, change);
    this.countChild();
    return { record, version: 1, item };
  }

  /** A list that will lack the record is not served until the operator has built it again: this is noted before the record is written. */
  #noteUnbuilt({ list, filters }: AllocatedNumber): void {
    const lacking = this.indexes.leftOut.filter((name) => filters.includes(name));
    if (lacking.length > 0) this.session.numbers.noteUnbuilt(this.tenant, list, lacking);
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
    this.session.numbers.prepare(this.tenant, this.list);
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
    const attributes = { ...toAttributes(this.entity, changes), [schema.VERSION]: version };
    const after = this.indexes.noted({ ...item, ...attributes });
    const entries = this.indexes.change(item, after);
    // Sets that it leaves may be older than the notes of values.
    this.#noteValues(this.indexes.openValues([...entries.left, ...entries.entered]));
    const names = [...Object.keys(changes), ...alsoAudited];
    const change = { before: stored.record, after: record, version };
    await Promise.all(this.#observers.map(({ changed }) => changed(String(item.id), names, change)));
    this.work.noteSize(this.#keyIn(item), after);
    this.#stageAsFound(stored, (work, found, refusal) => {
      const time = moves === undefined ? {} : { [moves]: this.derived.forward({ ...stored, item: found }, moves) };
      const next = found === item ? after : this.indexes.noted({ ...found, ...attributes, ...time });
      const moved = found === item ? entries : this.indexes.change(found, next);
      this.indexes.stage(work, found, moved);
      work.update(this.#keyIn(item), {
        set: differing(found, next),
        condition: { equals: { ...this.#asRead(stored), ...moved.asRead } },
        onConditionFailed: refusal,
      });
    });
    this.#unique.move(this.work, stored.record, record, String(item.id));
    this.#unique.releaseValue(this.work, item, record as Item);
    stageDerived(this, stored.record, record);
    return { record, version, item };
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
    this.#stageAsFound(
      stored,
      (work, found, refusal) => {
        const change = this.indexes.change(found, undefined);
        this.indexes.stage(work, found, change);
        work.put(this.#tombstoneOf(item), refusal, {
          equals: { ...this.#asRead(stored), ...change.asRead, ...equals },
        });
      },
      (found) => (Condition.isMet({ equals }, found) ? undefined : onConditionFailed?.(found)),
    );
    this.#stageAbsence(stored);
    stageDerived(this, stored.record, undefined);
    await Promise.all(this.#observers.map(({ removed }) => removed?.(String(item.id), stored.version + 1)));
  }

  /** Stages the deletion of a copy of a record, as read, that leaves nothing in its place and no event. */
  erase(stored: Stored<T>): void {
    const change = this.indexes.change(stored.item, undefined);
    this.indexes.stage(this.work, stored.item, change);
    this.work.delete(this.#keyIn(stored.item), { equals: { ...this.#asRead(stored), ...change.asRead } }, stale);
    this.#stageAbsence(stored);
  }

  /**
   * Stages a write of a record as read, whose entries may have moved since without a new version of it: then it is staged again for the record as it
   * is found, without running the operation again.
   * @param refusalOf the error where further conditions are not met
   */
  #stageAsFound(
    stored: Stored<T>,
    stage: (work: UnitOfWork, found: Item, onConditionFailed: OnConditionFailed) => void,
    refusalOf: (found: Item) => Error | undefined = () => undefined,
  ): void {
    const { item } = stored;
    const key = this.#keyIn(item);
    const isAsRead = (found: Item): boolean => Condition.isMet({ equals: this.#asRead(stored) }, found);
    const refusal: OnConditionFailed = (found) => {
      if (found === undefined || !isAsRead(found)) return stale();
      return refusalOf(found) ?? new listErrors.Unexpected(key, found);
    };
    if (this.indexes.areMovable(item)) this.work.expect(key, (work, found = item) => stage(work, found, refusal));
    else stage(this.work, item, (found) => (found && isAsRead(found) && refusalOf(found)) || stale());
  }

  /** Stages that a number has no record any more, which claims nothing. */
  #stageAbsence({ item, record }: Stored<T>): void {
    this.#noteValues(this.indexes.openValues(this.indexes.entriesIn(item)));
    this.work.noteSize(this.#keyIn(item), item);
    const number = ids.numberIn(String(item.SK));
    if (!this.entity.byTime) storedSets.stageGap(this.work, this.location.partition, number, expiryOfRecord(item));
    this.#unique.unclaim(this.work, record, item);
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

  #noteValues(values: Parameters<typeof noteValues>[1]): void {
    const { session, table, location, entity } = this;
    noteValues({ session, table, partition: location.partition, retentionDays: entity.retentionDays }, values);
  }

  #noteLargest(size: number): void {
    const { byTime, single } = this.entity;
    if (!byTime && !single) this.session.numbers.noteLargest(this.tenant, this.list, size);
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

  /** The condition that a record is as read. Its indexes are part of it: the operator may add it to further ones meanwhile (`verify/`). */
  #asRead({ item, version }: Stored<T>): Item {
    return {
      id: item.id,
      [schema.VERSION]: version,
      [indexes.SETS]: item[indexes.SETS],
      // An upsert claims a value without a new version.
      ...(this.indexes.hasExact(item) ? { [CLAIMED]: item[CLAIMED] } : {}),
    };
  }

  #allocate(): Promise<AllocatedNumber> {
    const { list } = this;
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

/** Attributes that are others than before. */
const differing = (before: Item, after: Item): Item =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(value, before[name])));

/** The fields that have a value. */
const namesOf = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === null || value === undefined ? [] : [name]));
