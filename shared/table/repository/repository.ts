import {
  Condition,
  type Item,
  ids,
  indexes,
  type Key,
  listErrors,
  NumberPool,
  type OnConditionFailed,
  schema,
  storedSets,
  type UnitOfWork,
} from '@custodia/counted-lists';
import { StaleRead } from '../errors.ts';
import type { TenantId } from '../keys.ts';
import type { RequestSession } from '../session/request-session.ts';
import { readSet, type StoredSet, stageSetDeletion } from './cascade-delete.ts';
import { DerivedFields, forward, stageDerived } from './derived-fields.ts';
import { type Entity, type RecordEvent, type RecordObserver, toAttributes } from './entity.ts';
import {
  checkSize,
  checkSizes,
  differing,
  type Location,
  namesOf,
  RecordReader,
  type Stored,
  sizeOf,
  unitsToCreate,
} from './records.ts';
import { CLAIMED, noteValues, stageClaim, stageClaims } from './stored-values.ts';
import * as trash from './trash.ts';
import type { DeletionOptions, NewRecord, UpdateOptions } from './write-options.ts';

type AllocatedNumber = Awaited<ReturnType<NumberPool['allocate']>>;

/**
 * The records of one kind in one partition of one tenant. Writes are staged in the session's unit of work, whose commit
 * waits for them. Made only by the tenant handle (`tenant.ts`).
 */
export class Repository<T extends object> extends RecordReader<T> {
  readonly #observers: readonly RecordObserver[];

  constructor(
    session: RequestSession,
    tenant: TenantId,
    entity: Entity<T>,
    location: Location,
    observers: readonly RecordObserver[] = [],
  ) {
    super(session, tenant, entity, location);
    this.#observers = observers;
  }

  /** Allocates a number and stages a new record under it. @throws RecordTooLarge */
  create<L extends keyof T = never>(given: NewRecord<T, L>): Promise<Stored<T>> {
    const { fields, deferred = () => ({}) as Pick<T, L>, generated = [], alsoAudited = [], mayBeEarly } = given;
    return this.session.changes.staging(async () => {
      this.#stageFields(fields);
      const allocating = this.#allocate(mayBeEarly);
      const id = given.id ?? allocating.then(({ number }) => ids.newId(number));
      const create = async (): Promise<Stored<T>> => {
        const [allocated, newId] = await Promise.all([allocating, id]);
        const place = { id: newId, ordinal: allocated.number + 1, collisions: this.session.collisions };
        const record = { id: newId, ...fields, ...(await deferred(place)) } as unknown as T;
        const size = checkSize(this.entity, record);
        if (NumberPool.isLarge(size) && size > allocated.largest) this.#noteLargest(size);
        return this.#stageNew(record, newId, allocated, { given: fields, generated, kept: await event, id: given.id });
      };
      const names = [...namesOf(fields), ...alsoAudited];
      const event = this.observe({ verb: 'created', id, version: 1, fields: [...new Set(names)] });
      const [stored] = await Promise.all([create(), event]);
      return stored;
    });
  }

  /**
   * Allocates a range of numbers and stages new records under it, in order. Without events and deferred fields.
   * @throws RecordTooLarge before a number is allocated, with the indexes of all records that are too large
   * @throws what {@link RequestSession.expectUnits} throws
   */
  createAll(all: readonly Omit<T, 'id'>[]): Promise<readonly Stored<T>[]> {
    return this.session.changes.staging(async () => {
      const sizes = all.map((fields) => sizeOf(this.entity, { id: ids.newId(0), ...fields } as unknown as T));
      checkSizes(sizes);
      this.session.expectUnits?.(unitsToCreate(sizes));
      for (const fields of all) this.#stageFields(fields);
      const allocated = await this.session.numbers.allocateAll(this.table, this.list, all.length);
      const largest = Math.max(...sizes);
      if (allocated.some((each) => largest > each.largest)) this.#noteLargest(largest);
      return allocated.map((each, index) => {
        const id = ids.newId(each.number);
        const record = { id, ...all[index] } as unknown as T;
        return this.#stageNew(record, id, each, { given: record });
      });
    });
  }

  /** Stages what a new record needs before it has its number. */
  #stageFields(fields: object): void {
    noteValues(this, this.indexes.openValuesOf(fields as Item));
    stageDerived(this, undefined, fields);
  }

  /** @param given the fields that {@link #stageFields} has staged @param kept what the record keeps of its event */
  #stageNew(
    record: T,
    id: string,
    allocated: AllocatedNumber,
    options: Pick<NewRecord<T, keyof T>, 'generated'> & { given: object; kept?: Item; id?: string | undefined },
  ): Stored<T> {
    const { given, generated = [], kept, id: givenId } = options;
    const { expires, filters, compact } = allocated;
    const ofOthers = filters.filter((name) => !this.indexes.leftOut.includes(name));
    this.noteUnbuilt(allocated);
    if (compact !== undefined) this.session.changes.afterCommit(compact);
    const isGenerated = (field: string): boolean => generated.some((name) => name === field);
    const refusalOf = (field: string) => (isGenerated(field) ? () => this.session.noteCollision() : undefined);
    stageClaims(this, undefined, { record, id }, refusalOf);
    const item = {
      ...this.indexes.withNotes(this.#itemOf(id, record), ofOthers),
      ...kept,
      ...(expires === undefined ? {} : { [schema.TTL]: expires }),
    };
    const isOwn = (found: Item): boolean => !givenId && (found.id === id || found[trash.DELETED] === id);
    const refusal: OnConditionFailed = (found) => (givenId ? undefined : refusalAt(found)) ?? this.#fenced(allocated);
    this.work.put(item, refusal, undefined, isOwn);
    const change = this.indexes.change(undefined, item);
    // The given fields are noted already; deferred ones, and those of other releases, are not.
    const known = new Set(this.indexes.openValuesOf(given as Item).map(({ field }) => field));
    const further = this.indexes.openValues(change.entered).filter(({ field }) => !known.has(field));
    noteValues(this, further);
    this.session.numbers.noteEntries(allocated, this.indexes.stageNew(this.work, item, change.entered));
    this.countChild(1);
    return { record, version: 1, item };
  }

  /** Notes the lists that will lack the record, before it is written: they are refused until they are built. */
  protected noteUnbuilt({ list, filters }: Pick<AllocatedNumber, 'list' | 'filters'>): void {
    const lacking = this.indexes.leftOut.filter((name) => filters.includes(name));
    const { numbers, changes } = this.session;
    if (lacking.length > 0) changes.check(() => numbers.noteUnbuilt(this.table, list, lacking));
  }

  /** Drops a number that a reader has fenced. The returned error makes the operation run again, with another number. */
  #fenced(allocated: AllocatedNumber): StaleRead {
    this.session.numbers.forget(allocated);
    return new StaleRead('the number is fenced');
  }

  /**
   * Stages that a record claims its value of a field that has an exact index. The commit throws {@link NotUnique} when
   * another record has claimed it, and {@link StaleRead} when the record has changed.
   * @param item the record as read; undefined for one that is staged
   */
  claimValue(id: string, item: Item | undefined, field: keyof T & string, value: string): void {
    stageClaim(this, { ...this.keyOf(id), id, [CLAIMED]: item?.[CLAIMED] }, field, value);
  }

  /** Begins to allocate a number in advance, for the next record that is created here. */
  prepare(): void {
    this.session.numbers.prepare(this.table, this.list);
  }

  /** Stages a record of a kind that has a single one. @param internal resolves to further attributes */
  createSingle(
    record: T & { readonly id: string },
    onConditionFailed: OnConditionFailed,
    internal: Promise<Item>,
  ): Promise<Stored<T>> {
    return this.session.changes.staging(async () => {
      checkSize(this.entity, record);
      const event = this.observe({ verb: 'created', id: record.id, version: 1, fields: namesOf(record) });
      const [further, kept] = await Promise.all([internal, event]);
      const item = { ...this.#itemOf(record.id, record), ...further, ...kept };
      this.work.put(item, onConditionFailed);
      return { record, version: 1, item };
    });
  }

  /**
   * Stages a change of a record as read.
   * @returns the record, with the time of this request where others have moved it further
   * @throws RecordTooLarge
   */
  update(stored: Stored<T>, given: Partial<T>, options: UpdateOptions<T> = {}): Promise<Stored<T>> {
    const { alsoAudited = [], moves, verb = 'updated' } = options;
    return this.session.changes.staging(async () => {
      const changes = moves === undefined ? given : { ...given, [moves]: forward(stored.item[moves], this.session) };
      const record = { ...stored.record, ...changes };
      const { item, record: before } = stored;
      const id = String(item.id);
      const version = stored.version + 1;
      const size = checkSize(this.entity, record);
      if (NumberPool.isLarge(size) && size > sizeOf(this.entity, before)) this.#noteLargest(size);
      const changed = { ...toAttributes(this.entity, changes), [schema.VERSION]: version };
      const noted = this.indexes.withNotes({ ...item, ...changed });
      const entries = this.indexes.change(item, noted);
      // Sets that it leaves may be older than the notes of values.
      noteValues(this, this.indexes.openValues([...entries.left, ...entries.entered]));
      const fields = [...Object.keys(changes), ...alsoAudited];
      const kept = await this.observe({ verb, id, version, fields, item, before, after: record });
      const attributes = { ...changed, ...kept };
      const after = { ...noted, ...kept };
      this.work.noteSize(schema.keyIn(item), after);
      this.#stageAsFound(stored, (work, found, onConditionFailed) => {
        const time = moves === undefined ? {} : { [moves]: forward(found[moves], this.session) };
        const next = found === item ? after : this.indexes.withNotes({ ...found, ...attributes, ...time });
        const moved = found === item ? entries : this.indexes.change(found, next);
        this.indexes.stage(work, found, moved);
        const equals = { ...this.#asRead(stored), ...moved.asRead };
        work.update(schema.keyIn(item), { set: differing(found, next), condition: { equals }, onConditionFailed });
      });
      stageClaims(this, stored, { record, id });
      stageDerived(this, before, record);
      return { record, version, item };
    });
  }

  /**
   * Stages the deletion of a record as read, also where only times of its orders have moved since. Where no time
   * numbers it, a tombstone stays, which refuses a delayed retry of its write and tells of the deletion (`trash.ts`).
   */
  remove(stored: Stored<T>, { along, requires }: DeletionOptions = {}): Promise<void> {
    return this.session.changes.staging(async () => {
      const { item, record } = stored;
      const [id, version] = [String(item.id), stored.version + 1];
      const keptSince = this.entity.restorable && trash.timeOf(this);
      const kept = await this.observe({ verb: 'deleted', id, version, fields: [], item });
      const stage = (work: UnitOfWork, found: Item, refusal: OnConditionFailed): void => {
        const change = this.indexes.change(found, undefined);
        this.indexes.stage(work, found, change);
        const moved = keptSince === undefined ? along?.(work, found) : trash.movedIn(found);
        const equals = { ...this.#asRead(stored), ...change.asRead, ...requires?.equals, ...moved };
        if (this.entity.byTime) work.delete(schema.keyIn(item), { equals }, refusal);
        else work.put(trash.tombstoneOf(this, found, kept, keptSince), refusal, { equals });
      };
      const refusalOf = (found: Item): Error | undefined =>
        requires === undefined || Condition.isMet(requires, found) ? undefined : requires.onConditionFailed(found);
      this.#stageAsFound(stored, stage, { refusalOf, isMovable: (keptSince ?? along) !== undefined });
      this.#stageAbsence(stored, keptSince);
      stageDerived(this, record, undefined);
      this.countChild(-1);
    });
  }

  /** Stages the deletion of a copy of a record, as read, that leaves nothing in its place and no event. */
  erase(stored: Stored<T>): void {
    const change = this.indexes.change(stored.item, undefined);
    this.indexes.stage(this.work, stored.item, change);
    const equals = { ...this.#asRead(stored), ...change.asRead };
    this.work.delete(schema.keyIn(stored.item), { equals }, stale);
    this.#stageAbsence(stored);
  }

  /**
   * Stages a write of a record as read. Where its entries have moved since, without a new version, the write is staged
   * again for the record as found; the operation does not run again.
   * @param refusalOf the error where further conditions are not met
   * @param isMovable whether what else is staged depends on attributes that change without a new version
   */
  #stageAsFound(
    stored: Stored<T>,
    stage: (work: UnitOfWork, found: Item, onConditionFailed: OnConditionFailed) => void,
    { refusalOf, isMovable = false }: { refusalOf?: (found: Item) => Error | undefined; isMovable?: boolean } = {},
  ): void {
    const { item } = stored;
    const key = schema.keyIn(item);
    const mayMove = isMovable || this.indexes.areMovable(item);
    const refusal: OnConditionFailed = (found) => {
      if (found === undefined || !Condition.isMet({ equals: this.#asRead(stored) }, found)) return stale();
      return refusalOf?.(found) ?? (mayMove ? new listErrors.Unexpected(key, found) : stale());
    };
    if (mayMove) this.work.expect(key, (work, found = item) => stage(work, found, refusal));
    else stage(this.work, item, refusal);
  }

  /** Stages that a number has no record any more, which claims nothing. @param keptSince of one that can be restored */
  #stageAbsence(stored: Stored<T>, keptSince?: number, { item } = stored): void {
    noteValues(this, this.indexes.openValues(this.indexes.entriesIn(item)));
    this.work.noteSize(schema.keyIn(item), item);
    if (keptSince !== undefined) trash.stageTrashed(this, item, keptSince);
    else if (!this.entity.byTime) this.indexes.stageGap(this.work, item);
    stageClaims(this, stored, undefined);
  }

  /** Stages the condition that a record exists at commit. */
  require(id: string, onConditionFailed: OnConditionFailed, equals: Readonly<Record<string, unknown>> = {}): void {
    this.work.require(this.keyOf(id), { id, ...equals }, onConditionFailed);
  }

  get derived(): DerivedFields<T> {
    return new DerivedFields(this);
  }

  /** The keys of a value's set, for {@link deleteSet}. May be read in parallel to the record that the value names. */
  setOf(field: keyof T & string, value: string): Promise<StoredSet> {
    return readSet(this.table, storedSets.partitionOf(this.location.partition, field, value));
  }

  /** Stages the deletion of the set of a deleted record's id. The caller makes sure that no record refers to it. */
  deleteSet(set: StoredSet): void {
    stageSetDeletion(this.session, this.tenant, set);
  }

  /** Stages the parent's count of a new or deleted record (`child-repository.ts`). */
  protected countChild(_by: 1 | -1): void {}

  protected get work(): UnitOfWork {
    return this.session.changes.of(this.tenant);
  }

  #noteLargest(size: number): void {
    const { byTime, single } = this.entity;
    const { numbers, changes } = this.session;
    if (!byTime && !single) changes.duringCommit(() => numbers.noteLargest(this.table, this.list, size));
  }

  #itemOf(id: string, record: T): Item & Key {
    return { ...this.keyOf(id), ...toAttributes(this.entity, record, true), [schema.VERSION]: 1 };
  }

  protected async observe(event: RecordEvent): Promise<Item> {
    const [, ...kept] = await Promise.all([event.id, ...this.#observers.map((observe) => observe(event))]);
    return Object.assign({}, ...kept);
  }

  /** The condition that a record is as read, and in the same indexes: the operator may add it to further ones. */
  #asRead({ item, version }: Stored<T>): Item {
    return {
      id: item.id,
      [schema.VERSION]: version,
      [indexes.SETS]: item[indexes.SETS],
      // An upsert claims a value without a new version.
      ...(this.indexes.hasExact(item) ? { [CLAIMED]: item[CLAIMED] } : {}),
    };
  }

  #allocate(mayBeEarly?: boolean): Promise<AllocatedNumber> {
    const { list } = this;
    if (!this.entity.byTime) return this.session.numbers.allocate(this.table, list, mayBeEarly);
    return Promise.resolve({ list, number: this.session.now, expires: undefined, filters: [], largest: 0 });
  }
}

/** The error where a new record's number has a record: an earlier attempt, which seemed refused, was carried out. */
const refusalAt = (found: Item | undefined): Error | undefined =>
  schema.isRecord(found) ? new listErrors.TableUnavailable('an earlier attempt was carried out late') : undefined;

const stale = (): StaleRead => new StaleRead('the record has changed');
