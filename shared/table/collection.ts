import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import { type Entity, toAttributes, toRecord } from './entity.ts';
import { NotUnique, StaleRead } from './errors.ts';
import { filteredList, type Key, type TenantId, uniqueKey } from './keys.ts';
import { expiryOf, type TakenNumber } from './lists/count.ts';
import { idOf, idPrefix, numberOf } from './lists/ids.ts';
import { LISTED_AT, type ListSource, readPage, readPart } from './lists/page.ts';
import { stageHole } from './lists/stage-hole.ts';
import { listIndex, TTL_ATTRIBUTE } from './schema.ts';
import type { Session } from './session.ts';
import type { Expectation, Item, Refusal } from './staged.ts';
import { stageSweep } from './sweep.ts';
import type { Work } from './work.ts';

/** A record as read, with what a later change of it must know. */
export interface Stored<T> {
  readonly record: T;
  /** Raised by one with each change of the record's own fields; derived counters leave it alone. */
  readonly version: number;
  readonly item: Item;
}

/** Where a new record stands in its list. */
export interface Place {
  readonly id: string;
  /** Counted from 1. */
  readonly ordinal: number;
  /** How often a generated value of this request was found taken: the operation is run again and shall try another. */
  readonly clashes: number;
}

/** Values of the fields of a declared filter; undefined ones are left out. */
export type Filter = Readonly<Record<string, string | boolean | undefined>>;

export interface PageQuery {
  readonly page: number;
  readonly page_size: number;
  readonly sort: 'created_at' | '-created_at';
  readonly filter?: Filter;
}

export interface PartQuery {
  readonly limit: number;
  /** Id of the last record already seen. */
  readonly after?: string | undefined;
  readonly newestFirst?: boolean;
  readonly filter?: Filter;
}

export interface Part<T> {
  readonly records: readonly Stored<T>[];
  /** Id of the last record, where others follow. */
  readonly next: string | undefined;
}

export interface Page<T> {
  readonly records: readonly Stored<T>[];
  readonly total: number;
}

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

  constructor(session: Session, tenant: TenantId, entity: Entity<T>, partition: string) {
    this.#session = session;
    this.#tenant = tenant;
    this.#entity = entity;
    this.#partition = partition;
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
    const { items, total } = await readPage(this.#table, this.#source(query.filter ?? {}), {
      page: query.page,
      pageSize: query.page_size,
      newestFirst: query.sort === '-created_at',
      now: this.#session.now,
    });
    return { records: items.map((item) => this.#stored(item)), total };
  }

  /** Up to `limit` records in order, from the one after the record `after` on. */
  async part(query: PartQuery): Promise<Part<T>> {
    const source = this.#source(query.filter ?? {});
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
      ...this.#lists(fields as Partial<T>).map(async (list) => ({ list, taken: await this.#take(list) })),
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
    for (const [field, value] of this.#uniqueValues(record)) {
      const isGenerated = generated.some((name) => name === field);
      this.#claim(field, value, place.id, isGenerated ? () => this.#session.clash() : undefined);
    }
    return { record, version: 1, item };
  }

  /** Stages a change of a record as read. A field given as it is changes nothing. */
  async update(stored: Stored<T>, changes: Partial<T>): Promise<Stored<T>> {
    const record = { ...stored.record, ...changes };
    const id = this.#idOf(stored);
    const set: Record<string, unknown> = { ...toAttributes(this.#entity, changes), [VERSION]: stored.version + 1 };
    const remove: string[] = [];
    const before = this.#lists(stored.record);
    await Promise.all(
      this.#lists(record).map(async (list, index) => {
        const { partition, sort } = listIndex(index + 1);
        const left = before[index];
        if (list === left) return;
        const taken = await this.#take(list);
        if (taken === undefined) remove.push(partition, sort);
        else Object.assign(set, { [partition]: list, [sort]: taken.number, [LISTED_AT]: this.#session.now });
        if (left !== undefined) stageHole(this.#work, left, Number(stored.item[sort]));
      }),
    );
    this.#work.update(this.#key(id), {
      set,
      remove,
      expect: { exists: true, equals: { [VERSION]: stored.version } },
      refuse: () => new StaleRead('the record has changed'),
    });
    this.#reclaim(stored.record, record, String(id));
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
    this.#lists(stored.record).forEach((list, index) => {
      if (list !== undefined) stageHole(this.#work, list, Number(stored.item[listIndex(index + 1).sort]));
    });
    for (const [field, value] of this.#uniqueValues(stored.record)) this.#release(field, value);
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
    return { PK: this.#partition, SK: typeof id === 'number' ? numericKey(id - 1) : id };
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

  /** The filter lists a record stands in, by slot; undefined where a field of the filter is null. */
  #lists(fields: Partial<T>): (string | undefined)[] {
    return this.#entity.filters.map((combination) => {
      const values = combination.map((field) => [field, fields[field]] as const);
      return values.every(([, value]) => value !== null && value !== undefined)
        ? filteredList(this.#partition, Object.fromEntries(values.map(([field, value]) => [field, String(value)])))
        : undefined;
    });
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

  #source(filter: Filter): ListSource {
    const values = Object.entries(filter).filter(([, value]) => value !== undefined);
    const { retentionDays } = this.#entity;
    if (values.length === 0)
      return { ...(this.#entity.numericId ? byNumber : byId), list: this.#partition, retentionDays };
    const slot = this.#entity.filters.findIndex(
      (fields) =>
        fields.length === values.length && values.every(([field]) => (fields as readonly string[]).includes(field)),
    );
    const combination = this.#entity.filters[slot];
    if (combination === undefined)
      throw new Error(`${this.#entity.name} has no list by ${values.map(([field]) => field).join(' and ')}`);
    const index = listIndex(slot + 1);
    const list = filteredList(
      this.#partition,
      Object.fromEntries(combination.map((field) => [field, String(filter[field])])),
    );
    return {
      list,
      index,
      bounds: (first, last) => [first, last],
      numberOf: (item) => Number(item[index.sort]),
      retentionDays,
    };
  }

  #uniqueValues(record: T): [field: string, value: string][] {
    return Object.entries<((value: string) => string) | undefined>(this.#entity.unique).flatMap(([field, same]) => {
      const value = (record as Record<string, unknown>)[field];
      return typeof value === 'string' && same !== undefined ? [[field, same(value)]] : [];
    });
  }

  #reclaim(before: T, after: T, id: string): void {
    const old = new Map(this.#uniqueValues(before));
    for (const [field, value] of this.#uniqueValues(after)) {
      if (old.get(field) !== value) this.#claim(field, value, id);
      else old.delete(field);
    }
    for (const [field, value] of old) this.#release(field, value);
  }

  #claim(field: string, value: string, id: string, refuse: Refusal = () => new NotUnique(field)): void {
    const item = { ...uniqueKey(this.#tenant, this.#entity.name, field, value), holder: id };
    this.#work.put(item, refuse);
  }

  #release(field: string, value: string): void {
    this.#work.delete(uniqueKey(this.#tenant, this.#entity.name, field, value), {}, () => new NotUnique(field));
  }
}

const numericKey = (number: number): string => number.toString(16).padStart(12, '0');

const byId: Omit<ListSource, 'list'> = {
  bounds: (first, last) => [idPrefix(first), `${idPrefix(last)}~`],
  numberOf: (item) => numberOf(String(item.SK)),
};

const byNumber: Omit<ListSource, 'list'> = {
  bounds: (first, last) => [numericKey(first), numericKey(last)],
  numberOf: (item) => Number.parseInt(String(item.SK), 16),
};
