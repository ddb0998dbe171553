import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { advance } from './advance.ts';
import { isEmpty } from './changes.ts';
import { CHILDREN, type ChildKeys, FEW, keysIn, readChildKeys } from './children.ts';
import type { Table } from './client.ts';
import { type Entity, toAttributes, toRecord } from './entity.ts';
import { EntityLists, notedIn, noteOf, SETS } from './entity-lists.ts';
import { StaleRead } from './errors.ts';
import { type Key, setPartition, type TenantId } from './keys.ts';
import type { TakenNumber } from './lists/head.ts';
import { idOf, numberIn, numberOf, sortKeyOf, tailOf } from './lists/ids.ts';
import { type ItemPage, type PageRequest, readNumbered, readPage } from './lists/page.ts';
import { readInOrder, readMembers } from './lists/part.ts';
import { stageEntry } from './lists/set-writes.ts';
import { checkSize } from './record-size.ts';
import type { Page, PageQuery, Part, PartQuery, Place, Stored } from './records.ts';
import { MOVES, TTL_ATTRIBUTE, VERSION } from './schema.ts';
import type { Session } from './session.ts';
import type { Expectation, Item, Refusal } from './staged.ts';
import { stageSweep } from './sweep.ts';
import { UniqueValues } from './unique-values.ts';
import type { Work } from './work.ts';

/** Where the records of a kind are. */
export interface Location {
  readonly partition: string;
  /** The record that they are below. */
  readonly parent?: { readonly key: Key; readonly id: string };
}

/** Where a filter's value has its set, and what is there. */
interface ValueKeys {
  readonly partition: string;
  readonly keys: readonly Key[];
}

/** Is told of every creation and change of an audited record, and stages what it has to say of it. */
export interface Witness {
  /** `place`: resolved once the record has its number, so that both can take theirs at once. */
  readonly created: (place: Promise<Pick<Place, 'id'>>, fields: readonly string[]) => Promise<void>;
  readonly changed: (id: string, fields: readonly string[]) => Promise<void>;
}

/**
 * The records of one kind in one place of one tenant. Reads happen at once; writes are staged in the session's unit of work.
 * Made by the tenant handle (`tenant.ts`) only.
 */
export class Collection<T extends object> {
  readonly #session: Session;
  readonly #tenant: TenantId;
  readonly #entity: Entity<T>;
  readonly #location: Location;
  readonly #lists: EntityLists<T>;
  readonly #unique: UniqueValues<T>;
  readonly #witness: Witness | undefined;

  constructor(session: Session, tenant: TenantId, entity: Entity<T>, location: Location, witness?: Witness) {
    this.#session = session;
    this.#tenant = tenant;
    this.#entity = entity;
    this.#location = location;
    this.#lists = new EntityLists(entity, location.partition);
    this.#unique = new UniqueValues(tenant, entity);
    this.#witness = witness;
  }

  /** The record with this id, strongly consistent. */
  async get(id: string): Promise<Stored<T> | undefined> {
    const table = this.#table;
    const { Item: item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: { ...this.keyOf(id) }, ConsistentRead: true }),
    );
    // A number has one record; another id with that number is nobody's.
    return item === undefined || item.id !== id || this.#isExpired(item) ? undefined : this.#stored(item);
  }

  /** One page of the list of all records, or of those that have the values of the filter. */
  async page(query: PageQuery): Promise<Page<T>> {
    const source = this.#lists.source(query.filter ?? {});
    return this.#pageOf(await readPage(this.#table, source, this.#requestOf(query)));
  }

  /** One page of records that their parent numbers. It is read beside the parent. */
  async pageBelow(parent: Promise<Stored<object>>, query: Omit<PageQuery, 'filter'>): Promise<Page<T>> {
    const count = parent.then(({ item }) => Number(item[CHILDREN] ?? 0));
    const request = this.#requestOf(query);
    return this.#pageOf(await readNumbered(this.#table, this.#location.partition, count, request));
  }

  /** Up to `limit` records in order, from the one after the record `after` on. */
  async part({ after, limit, newestFirst = false, filter = {} }: PartQuery): Promise<Part<T>> {
    const { items, more } = this.#entity.byTime
      ? await readInOrder(this.#table, this.#location.partition, {
          after: after === undefined ? undefined : this.keyOf(after).SK,
          limit,
          newestFirst,
        })
      : await readMembers(this.#table, this.#lists.source(filter), {
          after: after === undefined ? undefined : numberOf(after),
          limit,
          now: this.#session.now,
          patience: this.#session,
        });
    return { records: items.map((item) => this.#stored(item)), next: more ? String(items.at(-1)?.id) : undefined };
  }

  /**
   * Stages a new record: takes its number, then the record can be written.
   * `late` gives the fields that depend on the record's id or place. Of those, `generated` names the ones that the service and not the caller
   * has chosen: where such a value must be unique and is taken, the operation is run again instead of refused.
   * @throws RecordTooLarge
   */
  async create<L extends keyof T = never>(
    fields: Omit<T, 'id' | L>,
    late: (place: Place) => Pick<T, L> | Promise<Pick<T, L>> = () => ({}) as Pick<T, L>,
    generated: readonly L[] = [],
  ): Promise<Stored<T>> {
    const taking = this.#take();
    const placing = taking.then(
      ({ number }): Place => ({ id: idOf(number), ordinal: number + 1, clashes: this.#session.clashes }),
    );
    const create = async (): Promise<Stored<T>> => {
      const [taken, place] = await Promise.all([taking, placing]);
      const record = { id: place.id, ...fields, ...(await late(place)) } as unknown as T;
      this.#unique.claim(this.#work, record, place.id, (field) =>
        generated.some((name) => name === field) ? () => this.#session.clash() : undefined,
      );
      return this.#stageNew(record, place.id, taken);
    };
    const [stored] = await Promise.all([create(), this.#witness?.created(placing, namesOf(fields))]);
    return stored;
  }

  #stageNew(record: T, id: string, taken: TakenNumber): Stored<T> {
    checkSize(this.#entity, record);
    const { number, expires } = taken;
    const kept = this.#lists.kept(taken.filters);
    const item = {
      ...this.keyOf(id),
      ...toAttributes(this.#entity, record),
      ...noteOf(kept),
      ...(expires === undefined ? {} : { [TTL_ATTRIBUTE]: expires }),
      [VERSION]: 1,
    };
    this.#work.put(item, () => this.#session.fenced(taken));
    this.#lists.stageMove(this.#work, { number, expires, kept }, undefined, record);
    this.#countChild();
    return { record, version: 1, item };
  }

  /** Begins to take the number of a record that will be created here. */
  prepare(): void {
    this.#session.prepareNumber(this.#tenant, this.#lists.list);
  }

  /** Stages a new record that its parent, as read, numbers. */
  createNumbered(parent: Stored<object>, fields: Omit<T, 'id'>): Stored<T> {
    const count = parent.item[CHILDREN];
    const id = Number(count ?? 0) + 1;
    const record = { id, ...fields } as unknown as T;
    checkSize(this.#entity, record);
    const item = { ...this.keyOf(id), ...toAttributes(this.#entity, record), [VERSION]: 1 };
    this.#work.put(item, () => new StaleRead('the number is given'));
    this.#countChild({ [CHILDREN]: count });
    return { record, version: 1, item };
  }

  /** Stages a record under its own id, for a kind that has a single one. `refuse` gives the error when it is there already. */
  createSingle(record: T & { readonly id: string }, refuse: Refusal, internal: Item = {}): Stored<T> {
    checkSize(this.#entity, record);
    const item = { ...this.keyOf(record.id), ...toAttributes(this.#entity, record), ...internal, [VERSION]: 1 };
    this.#work.put(item, refuse);
    return { record, version: 1, item };
  }

  /**
   * Stages a change of a record as read. A field given as it is changes nothing.
   * @throws RecordTooLarge
   */
  async update(stored: Stored<T>, changes: Partial<T>): Promise<Stored<T>> {
    const record = { ...stored.record, ...changes };
    checkSize(this.#entity, record);
    const { item } = stored;
    await this.#witness?.changed(String(item.id), Object.keys(changes));
    const kept = this.#lists.kept(notedIn(item));
    this.#lists.stageMove(this.#work, this.#standing(item, kept), item, record);
    this.#work.update(this.#keyIn(item), {
      set: {
        ...toAttributes(this.#entity, changes),
        ...(kept.length === notedIn(item).length ? {} : noteOf(kept)),
        [VERSION]: stored.version + 1,
      },
      expect: { equals: asRead(stored) },
      refuse: () => new StaleRead('the record has changed'),
    });
    this.#unique.move(this.#work, stored.record, record, String(item.id));
    return { record, version: stored.version + 1, item };
  }

  /** Stages the deletion of a record as read; `equals` names other attributes that must hold, such as a counter that is 0. */
  remove(stored: Stored<T>, equals: Readonly<Record<string, unknown>> = {}, refuse?: Refusal): void {
    const { item } = stored;
    const expect: Expectation = { equals: { ...asRead(stored), ...equals } };
    this.#work.delete(this.#keyIn(item), expect, (found) =>
      refuse !== undefined && isAsRead(found, stored) ? refuse(found) : new StaleRead('the record has changed'),
    );
    const place = this.#standing(item, notedIn(item));
    if (!this.#entity.byTime) stageEntry(this.#work, { ...place, set: setPartition(this.#location.partition) });
    this.#lists.stageMove(this.#work, place, item, undefined);
    this.#unique.release(this.#work, stored.record);
  }

  /**
   * Stages a change of derived fields, which leaves the version alone: a counter moving must not turn into somebody's 412. How often counters
   * have moved is counted too: whoever counts anew knows by it that nothing has moved meanwhile (`verify/counters.ts`).
   * `refuse` gives the error when there is no such record or `equals` does not hold.
   */
  adjust(
    id: string,
    change: { add?: Readonly<Record<string, number>>; set?: Partial<T>; equals?: Readonly<Record<string, unknown>> },
    refuse: Refusal,
  ): void {
    const { add = {} } = change;
    this.#work.update(this.keyOf(id), {
      ...(isEmpty(add) ? {} : { add: { ...add, [MOVES]: 1 } }),
      ...(change.set === undefined ? {} : { set: toAttributes(this.#entity, change.set) }),
      expect: { equals: { id, ...change.equals } },
      refuse,
    });
  }

  /** Stages that a record must exist when the work commits. */
  require(id: string, refuse: Refusal, equals: Readonly<Record<string, unknown>> = {}): void {
    this.#work.require(this.keyOf(id), { id, ...equals }, refuse);
  }

  /**
   * Checks that a record exists which can not be deleted: it is read beside the operation's own work, and the commit waits for it. A condition
   * in the transaction would have all that refer to one record get in each other's way.
   */
  requireLasting(id: string, refuse: Refusal): void {
    this.#session.check(async () => {
      if ((await this.get(id)) === undefined) throw refuse(undefined);
    });
  }

  /** Has a field moved forward to a text beside the commit, where it is less. Advisory: that it fails is nobody's error. */
  advance(id: string, field: keyof T & string, value: string): void {
    const key = this.keyOf(id);
    const table = this.#table;
    this.#session.beside(() => advance(table, key, { id, field, value }, this.#session));
  }

  /** What lies here, for {@link clear}: may be read beside the parent. */
  childKeys(): Promise<ChildKeys> {
    return readChildKeys(this.#table, this.#location.partition);
  }

  /**
   * Stages the end of all records here, together with their parent: a few in its transaction, many after it (`sweep.ts`).
   * @returns what must hold of the parent for its deletion
   */
  clear({ records, list, isComplete }: ChildKeys, parent: Stored<object>): Readonly<Record<string, unknown>> {
    const count = parent.item[CHILDREN];
    if (isComplete && records.length === Number(count ?? 0)) {
      for (const key of [...records, ...list]) this.#work.delete(key, {}, () => new Error('nothing is expected of it'));
      return { [CHILDREN]: count };
    }
    stageSweep(this.#session, this.#tenant, this.#location.partition);
    return {};
  }

  /** What the lists know of a filter's value, for {@link retire}: may be read beside the record that the value names. */
  valueKeys(field: keyof T & string, value: string): Promise<ValueKeys> {
    const partition = setPartition(this.#location.partition, field, value);
    return keysIn(this.#table, partition).then((keys) => ({ partition, keys }));
  }

  /**
   * Stages the end of what the lists know of a filter's value that no record has and none will have: the id of a record that is deleted in the same
   * transaction, on condition that nothing names it any more. Else the empty items of its set would be left for ever, for nobody reads them again.
   */
  retire({ partition, keys }: ValueKeys): void {
    if (keys.length > FEW) stageSweep(this.#session, this.#tenant, partition);
    else for (const key of keys) this.#work.delete(key, {}, () => new Error('nothing is expected of it'));
  }

  /** The key of the record with this id. */
  keyOf(id: string | number): Key {
    const { partition } = this.#location;
    if (typeof id === 'number') return { PK: partition, SK: sortKeyOf(id - 1) };
    if (this.#entity.single) return { PK: partition, SK: id };
    const number = sortKeyOf(numberOf(id));
    return { PK: partition, SK: this.#entity.byTime ? `${number}-${tailOf(id)}` : number };
  }

  get #table(): Table {
    return this.#session.tableOf(this.#tenant);
  }

  get #work(): Work {
    return this.#session.workOf(this.#tenant);
  }

  #requestOf({ page, page_size, sort }: PageQuery): PageRequest {
    return {
      page,
      pageSize: page_size,
      newestFirst: sort === '-created_at',
      now: this.#session.now,
      patience: this.#session,
    };
  }

  #pageOf({ items, total, isCut }: ItemPage): Page<T> {
    return { records: items.map((item) => this.#stored(item)), total, isCut };
  }

  #keyIn(item: Item): Key {
    return { PK: String(item.PK), SK: String(item.SK) };
  }

  #stored(item: Item): Stored<T> {
    return { record: toRecord(this.#entity, item), version: Number(item[VERSION]), item };
  }

  #standing(item: Item, kept: readonly string[]) {
    return { number: numberIn(String(item.SK)), expires: expiryOf(item), kept };
  }

  #isExpired(item: Item): boolean {
    const expires = expiryOf(item);
    return expires !== undefined && expires * 1000 <= this.#session.now;
  }

  #take(): Promise<TakenNumber> {
    const { list } = this.#lists;
    return this.#entity.byTime
      ? Promise.resolve({ list, number: this.#session.now, expires: undefined, filters: [], upkeep: [] })
      : this.#session.takeNumber(this.#tenant, list);
  }

  /** Also holds the parent in place: no record comes to lie below one that is being deleted. */
  #countChild(equals: Readonly<Record<string, unknown>> = {}): void {
    const { parent } = this.#location;
    if (parent === undefined) return;
    this.#work.update(parent.key, {
      add: { [CHILDREN]: 1 },
      expect: { equals: { id: parent.id, ...equals } },
      refuse: () => new StaleRead('the parent is gone'),
    });
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

const expiryOf = ({ [TTL_ATTRIBUTE]: expires }: Item): number | undefined =>
  typeof expires === 'number' ? expires : undefined;

/** The fields that hold something. */
const namesOf = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === null || value === undefined ? [] : [name]));
