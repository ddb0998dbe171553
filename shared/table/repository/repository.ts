import { StaleRead } from '../errors.ts';
import { type Key, setPartition, type TenantId } from '../keys.ts';
import type { TakenNumber } from '../lists/head.ts';
import { idOf, numberIn } from '../lists/ids.ts';
import { stageEntry } from '../lists/set-writes.ts';
import { type Item, TTL_ATTRIBUTE, VERSION } from '../schema.ts';
import type { Session } from '../session.ts';
import type { Condition, OnConditionFailed } from '../transaction/pending-write.ts';
import type { UnitOfWork } from '../transaction/unit-of-work.ts';
import { DerivedFields } from './derived-fields.ts';
import { type Entity, toAttributes } from './entity.ts';
import { notedIn, noteOf, SETS } from './entity-lists.ts';
import { FilterSets } from './filter-sets.ts';
import { expiryOf, type Location, RecordReader } from './record-reader.ts';
import { checkSize } from './record-size.ts';
import type { Place, Stored } from './records.ts';
import { References } from './references.ts';
import { UniqueConstraints } from './unique-constraints.ts';

/** Is told of every creation and change of an audited record, and stages what it has to say of it. */
export interface RecordObserver {
  /** `place`: resolved once the record has its number, so that both can take theirs at once. */
  readonly created: (place: Promise<Pick<Place, 'id'>>, fields: readonly string[]) => Promise<void>;
  readonly changed: (id: string, fields: readonly string[]) => Promise<void>;
}

/**
 * The records of one kind in one place of one tenant. Reads happen at once; writes are staged in the session's unit of work.
 * Made by the tenant handle (`tenant.ts`) only.
 */
export class Repository<T extends object, F extends keyof T & string = keyof T & string> extends RecordReader<T, F> {
  readonly #unique: UniqueConstraints<T>;
  readonly #observer: RecordObserver | undefined;

  constructor(session: Session, tenant: TenantId, entity: Entity<T, F>, location: Location, observer?: RecordObserver) {
    super(session, tenant, entity, location);
    this.#unique = new UniqueConstraints(tenant, entity);
    this.#observer = observer;
  }

  /**
   * Stages a new record: takes its number, then the record can be written.
   * `late` gives the fields that depend on the record's id or place. Of those, `generated` names the ones that the service and not the caller
   * has chosen: where such a value must be unique and is taken, the operation is run again instead of refused.
   * `told`: names for the audit event beside those of the fields that hold something.
   * @throws RecordTooLarge
   */
  async create<L extends keyof T = never>(
    fields: Omit<T, 'id' | L>,
    late: (place: Place) => Pick<T, L> | Promise<Pick<T, L>> = () => ({}) as Pick<T, L>,
    generated: readonly L[] = [],
    told: readonly string[] = [],
  ): Promise<Stored<T>> {
    const taking = this.#take();
    const placing = taking.then(
      ({ number }): Place => ({ id: idOf(number), ordinal: number + 1, clashes: this.session.clashes }),
    );
    const create = async (): Promise<Stored<T>> => {
      const [taken, place] = await Promise.all([taking, placing]);
      const record = { id: place.id, ...fields, ...(await late(place)) } as unknown as T;
      this.#unique.claim(this.work, record, place.id, (field) =>
        generated.some((name) => name === field) ? () => this.session.clash() : undefined,
      );
      return this.#stageNew(record, place.id, taken);
    };
    const [stored] = await Promise.all([
      create(),
      this.#observer?.created(placing, [...new Set([...namesOf(fields), ...told])]),
    ]);
    return stored;
  }

  #stageNew(record: T, id: string, taken: TakenNumber): Stored<T> {
    checkSize(this.entity, record);
    const { number, expires } = taken;
    const kept = this.lists.kept(taken.filters);
    const item = {
      ...this.keyOf(id),
      ...toAttributes(this.entity, record),
      ...noteOf(kept),
      ...(expires === undefined ? {} : { [TTL_ATTRIBUTE]: expires }),
      [VERSION]: 1,
    };
    this.work.put(item, () => this.session.fenced(taken));
    this.lists.stageMove(this.work, { number, expires, kept }, undefined, record);
    this.countChild();
    return { record, version: 1, item };
  }

  /** Begins to take the number of a record that will be created here. */
  prepare(): void {
    this.session.prepareNumber(this.tenant, this.lists.list);
  }

  /** Stages a record under its own id, for a kind that has a single one. `onConditionFailed` gives the error when it is there already. */
  createSingle(
    record: T & { readonly id: string },
    onConditionFailed: OnConditionFailed,
    internal: Item = {},
  ): Stored<T> {
    checkSize(this.entity, record);
    const item = { ...this.keyOf(record.id), ...toAttributes(this.entity, record), ...internal, [VERSION]: 1 };
    this.work.put(item, onConditionFailed);
    return { record, version: 1, item };
  }

  /**
   * Stages a change of a record as read. A field given as it is changes nothing. `told`: names for the audit event beside those of the
   * fields.
   * @throws RecordTooLarge
   */
  async update(stored: Stored<T>, changes: Partial<T>, told: readonly string[] = []): Promise<Stored<T>> {
    const record = { ...stored.record, ...changes };
    checkSize(this.entity, record);
    const { item } = stored;
    await this.#observer?.changed(String(item.id), [...Object.keys(changes), ...told]);
    const kept = this.lists.kept(notedIn(item));
    this.lists.stageMove(this.work, this.#standing(item, kept), item, record);
    this.work.update(this.#keyIn(item), {
      set: {
        ...toAttributes(this.entity, changes),
        ...(kept.length === notedIn(item).length ? {} : noteOf(kept)),
        [VERSION]: stored.version + 1,
      },
      condition: { equals: asRead(stored) },
      onConditionFailed: () => new StaleRead('the record has changed'),
    });
    this.#unique.move(this.work, stored.record, record, String(item.id));
    return { record, version: stored.version + 1, item };
  }

  /** Stages the deletion of a record as read; `equals` names other attributes that must hold, such as a counter that is 0. */
  remove(
    stored: Stored<T>,
    equals: Readonly<Record<string, unknown>> = {},
    onConditionFailed?: OnConditionFailed,
  ): void {
    const { item } = stored;
    const condition: Condition = { equals: { ...asRead(stored), ...equals } };
    this.work.delete(this.#keyIn(item), condition, (found) =>
      onConditionFailed !== undefined && isAsRead(found, stored)
        ? onConditionFailed(found)
        : new StaleRead('the record has changed'),
    );
    const place = this.#standing(item, notedIn(item));
    if (!this.entity.byTime) stageEntry(this.work, { ...place, set: setPartition(this.location.partition) });
    this.lists.stageMove(this.work, place, item, undefined);
    this.#unique.release(this.work, stored.record);
  }

  /** What is said of these records elsewhere. */
  get references(): References<T> {
    return new References(this);
  }

  get derived(): DerivedFields<T> {
    return new DerivedFields(this);
  }

  get filterSets(): FilterSets<T> {
    return new FilterSets(this);
  }

  /** Stages that a parent counts the new record, where there is one (`child-repository.ts`). */
  protected countChild(): void {}

  protected get work(): UnitOfWork {
    return this.session.unitOfWork(this.tenant);
  }

  #keyIn(item: Item): Key {
    return { PK: String(item.PK), SK: String(item.SK) };
  }

  #standing(item: Item, kept: readonly string[]) {
    return { number: numberIn(String(item.SK)), expires: expiryOf(item), kept };
  }

  #take(): Promise<TakenNumber> {
    const { list } = this.lists;
    return this.entity.byTime
      ? Promise.resolve({ list, number: this.session.now, expires: undefined, filters: [], upkeep: undefined })
      : this.session.takeNumber(this.tenant, list);
  }
}

/** What must hold of a record for a change of it as read. The operator may have put it into further sets meanwhile (`verify/`). */
const asRead = ({ item, version }: Stored<object>): Readonly<Record<string, unknown>> => ({
  id: item.id,
  [VERSION]: version,
  [SETS]: item[SETS],
});

const isAsRead = (found: Item | undefined, stored: Stored<object>): boolean =>
  Object.entries(asRead(stored)).every(([attribute, value]) => found?.[attribute] === value);

/** The fields that hold something. */
const namesOf = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === null || value === undefined ? [] : [name]));
