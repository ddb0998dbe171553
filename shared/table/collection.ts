import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import { type Entity, toAttributes, toRecord } from './entity.ts';
import { StaleRead } from './errors.ts';
import type { Key, TenantId } from './keys.ts';
import { expiryOf, type TakenNumber } from './lists/count.ts';
import { idOf, numberOf } from './lists/ids.ts';
import { LISTED_AT, type ListSource, readPage, readPart } from './lists/page.ts';
import { stageHole } from './lists/stage-hole.ts';
import { numericKey, RecordLists } from './record-lists.ts';
import type { Page, PageQuery, Part, PartQuery, Place, Stored } from './records.ts';
import { listIndex, TTL_ATTRIBUTE } from './schema.ts';
import type { Session } from './session.ts';
import type { Expectation, Item, Refusal } from './staged.ts';
import { stageSweep } from './sweep.ts';
import { UniqueValues } from './unique-values.ts';
import type { Work } from './work.ts';

const VERSION = 'VERSION';

/**
 * The records of one kind in one place of one tenant. Reads happen at once; writes are staged in the session's unit of work.
 * Made by the tenant handle (`tenant.ts`) only.
 */
export class Collection<T extends object> {
  readonly #session: Session;
  readonly #tenant: TenantId;
  readonly #entity: Entity<T>;
  readonly #partition: string;
  readonly #lists: RecordLists<T>;
  readonly #unique: UniqueValues<T>;

  constructor(session: Session, tenant: TenantId, entity: Entity<T>, partition: string) {
    this.#session = session;
    this.#tenant = tenant;
    this.#entity = entity;
    this.#partition = partition;
    this.#lists = new RecordLists(entity, partition);
    this.#unique = new UniqueValues(tenant, entity);
  }

  /** The record with this id, strongly consistent. */
  async get(id: string): Promise<Stored<T> | undefined> {
    const table = this.#table;
    const { Item: item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: { ...this.#key(id) }, ConsistentRead: true }),
    );
    return item === undefined || this.#isExpired(item) ? undefined : this.#stored(item);
  }

  /** One page of the list of all records, or of those that a declared filter picks. */
  async page(query: PageQuery): Promise<Page<T>> {
    const { items, total } = await readPage(this.#table, this.#lists.source(query.filter ?? {}), {
      page: query.page,
      pageSize: query.page_size,
      newestFirst: query.sort === '-created_at',
      now: this.#session.now,
    });
    return { records: items.map((item) => this.#stored(item)), total };
  }

  /** Up to `limit` records in order, from the one after the record `after` on. */
  async part(query: PartQuery): Promise<Part<T>> {
    const source = this.#lists.source(query.filter ?? {});
    const after = query.after === undefined ? undefined : await this.#sortValue(source, query.after);
    const { items, more } = await readPart(this.#table, source, {
      after,
      limit: query.limit,
      newestFirst: query.newestFirst ?? false,
    });
    return { records: items.map((item) => this.#stored(item)), next: more ? String(items.at(-1)?.SK) : undefined };
  }

  /**
   * Stages a new record: takes its numbers in all its lists at once, then the record can be written.
   * `late` gives the fields that depend on the record's id or place. Of those, `generated` names the ones that the service and not the caller
   * has chosen: where such a value must be unique and is taken, the operation is run again instead of refused.
   */
  async create<L extends keyof T = never>(
    fields: Omit<T, 'id' | L>,
    late: (place: Place) => Pick<T, L> | Promise<Pick<T, L>> = () => ({}) as Pick<T, L>,
    generated: readonly L[] = [],
  ): Promise<Stored<T>> {
    const [own, ...others] = await Promise.all([
      this.#entity.byTime ? this.#atThisTime() : this.#takeIn(this.#partition),
      ...this.#lists.of(fields as Partial<T>).map(async (list) => ({ list, taken: await this.#take(list) })),
    ]);
    const place = { id: idOf(own.number), ordinal: own.number + 1, clashes: this.#session.clashes };
    const record = {
      ...fields,
      ...(await late(place)),
      id: this.#entity.numericId ? place.ordinal : place.id,
    } as unknown as T;
    const listed = Object.fromEntries(
      others.flatMap(({ list, taken }, index) => {
        const { partition, sort } = listIndex(index + 1);
        return list === undefined || taken === undefined
          ? []
          : [
              [partition, list],
              [sort, taken.number],
            ];
      }),
    );
    const item = {
      ...this.#key(this.#entity.numericId ? place.ordinal : place.id),
      ...toAttributes(this.#entity, record),
      ...listed,
      ...this.#expiry([own, ...others.flatMap(({ taken }) => taken ?? [])]),
      [VERSION]: 1,
      [LISTED_AT]: this.#session.now,
    };
    this.#work.put(item, () => new StaleRead('the id is taken'));
    this.#unique.claim(this.#work, record, place.id, (field) =>
      generated.some((name) => name === field) ? () => this.#session.clash() : undefined,
    );
    return { record, version: 1, item };
  }

  /** Stages a change of a record as read. A field given as it is changes nothing. */
  async update(stored: Stored<T>, changes: Partial<T>): Promise<Stored<T>> {
    const record = { ...stored.record, ...changes };
    const id = this.#idOf(stored);
    const set: Record<string, unknown> = { ...toAttributes(this.#entity, changes), [VERSION]: stored.version + 1 };
    const remove: string[] = [];
    const before = this.#lists.of(stored.record);
    await Promise.all(
      this.#lists.of(record).map(async (list, index) => {
        const { partition, sort } = listIndex(index + 1);
        const left = before[index];
        if (list === left) return;
        const taken = await this.#take(list);
        if (taken === undefined) remove.push(partition, sort);
        else Object.assign(set, { [partition]: list, [sort]: taken.number, [LISTED_AT]: this.#session.now });
        this.#leave(left, stored.item[sort]);
      }),
    );
    this.#work.update(this.#key(id), {
      set,
      remove,
      expect: { exists: true, equals: { [VERSION]: stored.version } },
      refuse: () => new StaleRead('the record has changed'),
    });
    this.#unique.move(this.#work, stored.record, record, String(id));
    return { record, version: stored.version + 1, item: stored.item };
  }

  /** Stages the deletion of a record as read; `equals` names other attributes that must hold, such as a counter that is 0. */
  remove(stored: Stored<T>, equals: Readonly<Record<string, unknown>> = {}, refuse?: Refusal): void {
    const id = this.#idOf(stored);
    const expect: Expectation = { exists: true, equals: { [VERSION]: stored.version, ...equals } };
    this.#work.delete(this.#key(id), expect, (found) =>
      found !== undefined && found[VERSION] === stored.version && refuse !== undefined
        ? refuse(found)
        : new StaleRead('the record has changed'),
    );
    if (!this.#entity.byTime) {
      stageHole(this.#work, this.#partition, this.#entity.numericId ? Number(id) - 1 : numberOf(String(id)));
    }
    this.#lists.of(stored.record).forEach((list, index) => {
      this.#leave(list, stored.item[listIndex(index + 1).sort]);
    });
    this.#unique.release(this.#work, stored.record);
  }

  /**
   * Stages a change of derived fields, which leaves the version alone: a counter moving must not turn into somebody's 412.
   * `refuse` gives the error when there is no such record or `equals` does not hold.
   */
  adjust(
    id: string,
    change: { add?: Readonly<Record<string, number>>; set?: Partial<T>; equals?: Readonly<Record<string, unknown>> },
    refuse: Refusal,
  ): void {
    this.#work.update(this.#key(id), {
      ...(change.add === undefined ? {} : { add: change.add }),
      ...(change.set === undefined ? {} : { set: toAttributes(this.#entity, change.set) }),
      expect: { exists: true, ...(change.equals === undefined ? {} : { equals: change.equals }) },
      refuse,
    });
  }

  /** Stages the end of all records here, after their parent was deleted (`sweep.ts`). */
  clear(): void {
    stageSweep(this.#session, this.#tenant, this.#partition);
  }

  /** Stages that a record must exist when the work commits. */
  require(id: string, refuse: Refusal, equals: Readonly<Record<string, unknown>> = {}): void {
    this.#work.require(this.#key(id), equals, refuse);
  }

  get #table(): Table {
    return this.#session.tableOf(this.#tenant);
  }

  get #work(): Work {
    return this.#session.workOf(this.#tenant);
  }

  /** Where a record stands in the order of a list. One that is gone from it ends the list. */
  async #sortValue(source: ListSource, id: string): Promise<string | number> {
    if (source.index === undefined) return id;
    return Number((await this.get(id))?.item[source.index.sort] ?? Number.MAX_SAFE_INTEGER);
  }

  #key(id: string | number): Key {
    return { PK: this.#partition, SK: typeof id === 'number' ? numericKey(id) : id };
  }

  #idOf(stored: Stored<T>): string | number {
    return (stored.record as { id: string | number }).id;
  }

  #stored(item: Item): Stored<T> {
    return { record: toRecord(this.#entity, item), version: Number(item[VERSION]), item };
  }

  #isExpired(item: Item): boolean {
    const expiry = item[TTL_ATTRIBUTE];
    return typeof expiry === 'number' && expiry * 1000 <= this.#session.now;
  }

  #expiry(taken: readonly TakenNumber[]): Record<string, number> {
    const { retentionDays } = this.#entity;
    const lastDay = taken
      .flatMap(({ day }) => day ?? [])
      .sort()
      .at(-1);
    return retentionDays === undefined || lastDay === undefined
      ? {}
      : { [TTL_ATTRIBUTE]: expiryOf(lastDay, retentionDays) };
  }

  /** A record that is older than a filter has no number in its lists. */
  #leave(list: string | undefined, number: unknown): void {
    if (list !== undefined && typeof number === 'number') stageHole(this.#work, list, number);
  }

  #take(list: string | undefined): Promise<TakenNumber | undefined> {
    return list === undefined ? Promise.resolve(undefined) : this.#takeIn(list);
  }

  #atThisTime(): TakenNumber {
    const { now } = this.#session;
    return { list: this.#partition, number: now, at: now, day: undefined };
  }

  #takeIn(list: string): Promise<TakenNumber> {
    return this.#session.takeNumber(this.#tenant, list, this.#entity.retentionDays);
  }
}
