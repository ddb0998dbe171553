import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import {
  Condition,
  flagsAt,
  type Item,
  ids,
  type indexes,
  type Key,
  NumberPool,
  type OnConditionFailed,
  readCursorPage,
  readHolders,
  readPage,
  readPartition,
  readQueue,
  type SortKey,
  schema,
  type Table,
  type Where,
} from '@custodia/counted-lists';
import { escapedSize } from '#json';
import { RecordTooLarge } from '../errors.ts';
import { type TenantId, uniqueKey } from '../keys.ts';
import type { RequestSession } from '../session/request-session.ts';
import { type Entity, indexesOf, toRecord } from './entity.ts';

/** A record as read, with its version and item for a later change. */
export interface Stored<T> {
  readonly record: T;
  /** Raised by one with each change of the record's own fields, but not of derived fields. */
  readonly version: number;
  readonly item: Item;
}

export interface PageQuery {
  readonly page: number;
  readonly page_size: number;
  /** By default the newest first. */
  readonly sort?: readonly SortKey[];
  /** Conditions that all of its records meet. */
  readonly where?: readonly Where[];
  /** By which it may be filtered and sorted too. */
  readonly flags?: Flags | undefined;
}

/** Flags of the moment, which no record has stored. */
type Flags = NonNullable<Extract<Parameters<typeof readPage>[1], { where: unknown }>['flags']>;

export interface CursorQuery {
  readonly limit: number;
  /** Id of the last record of the previous page. */
  readonly after?: string | undefined;
  readonly newestFirst?: boolean;
  /** Conditions that indexes answer. */
  readonly where?: readonly Where[];
}

export interface CursorPage<T> {
  readonly records: readonly Stored<T>[];
  /** Id of the last record, if others follow. */
  readonly next: string | undefined;
}

export interface Page<T> {
  readonly records: readonly Stored<T>[];
  readonly total: number;
  /** Whether these are only the first records of the page, because all of them are more than one request may read. */
  readonly isCut: boolean;
  /** Read units of what no index answers; undefined where indexes answer all. */
  readonly residualUnits?: number | undefined;
}

/** Fields to change, each with a value. */
type Changes<P> = { [K in keyof P]?: Exclude<P[K], undefined> };

/**
 * The fields of a patch that differ from the record, which may be older than a field: null stands for none.
 * @returns undefined where none does: such a patch leaves the record and its version as they are
 * @example changesOf({ name: 'a', status: 'active' }, { name: 'b', status: 'active' }) // { name: 'b' }
 */
export function changesOf<T extends object, P extends object>(record: T, patch: P): Changes<P> | undefined {
  const changes: Record<string, unknown> = differing(record, patch);
  for (const [field, value] of Object.entries(changes))
    if (value === undefined || (value === null && !Object.hasOwn(record, field))) delete changes[field];
  return Object.keys(changes).length === 0 ? undefined : (changes as Changes<P>);
}

/** Fields, or attributes, that are others than before. */
export const differing = (before: object, after: object): Item =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => {
      const was = (before as Item)[name];
      return !Object.is(value, was) && !isDeepStrictEqual(value, was);
    }),
  );

/**
 * Largest record in a response, escaped. A page of the default size always fits into a response, and no item comes near
 * DynamoDB's 400 KB, nor does that of an idempotency key with the record.
 */
export const MAX_RECORD = 230_000;

/**
 * Checks that a record fits into a response, alone or in a list, with all of its fields. The check is made when the
 * record is staged: a webhook event writes without a response, and some responses leave out credentials.
 *
 * Derived fields that change later (`derived-fields.ts`) are numbers and times; a page has room for them.
 * @returns its size in bytes, at least what it takes when it is stored; at most that, where the record is not large
 * @throws RecordTooLarge
 */
export function checkSize<T extends object>(kind: Entity<T>, record: T): number {
  const most = sizeOf(kind, record, ({ length }) => CHARACTER * length);
  if (!NumberPool.isLarge(most)) return most;
  const size = sizeOf(kind, record);
  checkSizes([size]);
  return size;
}

/** @throws RecordTooLarge with the indexes of all sizes that are too large */
export function checkSizes(sizes: readonly number[]): void {
  const indexes = sizes.flatMap((size, index) => (size > MAX_RECORD ? [index] : []));
  if (indexes.length > 0) throw new RecordTooLarge(Math.max(...sizes), MAX_RECORD, indexes);
}

/** Bytes per write unit of a transaction (AWS, "DynamoDB read and write operations"). */
const TRANSACTION_UNIT = 512;

/** About the write units that records of these sizes take in one transaction. */
export const unitsToCreate = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + size, 0) / TRANSACTION_UNIT;

/** Most bytes of an escaped character of a record's JSON. */
const CHARACTER = 3;

export function sizeOf<T extends object>(kind: Entity<T>, record: T, sizeOfJson = escapedSize): number {
  const encrypted = kind.encrypted.reduce((sum, field) => sum + textLength(record[field]), 0);
  return Math.ceil(sizeOfJson(JSON.stringify(record)) + encrypted * (DECRYPTED - 1));
}

/**
 * Largest size of a decrypted and escaped field, relative to its ciphertext: base64 has four characters for three
 * bytes, and escaping at most doubles a JSON text (one of only quotation marks and backslashes).
 */
const DECRYPTED = 1.5;

const textLength = (value: unknown): number => (typeof value === 'string' ? value.length : 0);

/** Where the records of a repository are stored. */
export interface Location {
  readonly partition: string;
  /** The parent of the records. */
  readonly parent?: { readonly key: Key; readonly id: string };
}

/** The fields that have a value. */
export const namesOf = (fields: Item): string[] =>
  Object.keys(fields).filter((name) => (fields[name] ?? null) !== null);

/** The records of a repository, for what is staged with them. */
export type Records = Pick<RecordReader<object>, 'session' | 'tenant' | 'table' | 'location'> & {
  readonly entity: Pick<Entity, 'name' | 'unique' | 'counted' | 'latest' | 'retentionDays'>;
};

/** Reads the records of one kind in one partition of one tenant. */
export class RecordReader<T extends object> {
  readonly session: RequestSession;
  readonly tenant: TenantId;
  readonly entity: Entity<T>;
  readonly location: Location;
  #indexes: indexes.Indexes | undefined;

  constructor(session: RequestSession, tenant: TenantId, entity: Entity<T>, location: Location) {
    this.session = session;
    this.tenant = tenant;
    this.entity = entity;
    this.location = location;
  }

  /** The indexes of its list. Reads by id need none. */
  get indexes(): indexes.Indexes {
    this.#indexes ??= indexesOf(this.entity, this.tenant, this.location.partition);
    return this.#indexes;
  }

  /** Strongly consistent. */
  async get(id: string): Promise<Stored<T> | undefined> {
    const table = this.table;
    const { Item: item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: { ...this.keyOf(id) }, ConsistentRead: true }),
    );
    // Any UUID has a number; only the record's own id is valid.
    return item === undefined || item.id !== id || this.#isExpired(item) ? undefined : this.stored(item);
  }

  /** The id of the record that has this value of a unique field. Strongly consistent. */
  async idOf(field: keyof T & string, value: string): Promise<string | undefined> {
    const { table, tenant, entity } = this;
    const normalized = entity.unique[field]?.(value) ?? value;
    const { Item: claim } = await table.client.send(
      new GetCommand({
        TableName: table.name,
        Key: { ...uniqueKey(tenant, entity.name, field, normalized) },
        ConsistentRead: true,
      }),
    );
    return claim === undefined ? undefined : String(claim.holder);
  }

  /**
   * The ids of up to two records with a value of a field that has an exact index. Strongly consistent.
   * @throws ListNotBuilt
   */
  idsWith(field: keyof T & string, value: string): Promise<readonly string[]> {
    return readHolders(this.table, this.location.partition, { field, value, most: 2 });
  }

  /** The first records of a queue (`queue` of its entity), with their texts. Strongly consistent: one query. */
  waiting(wanted: Parameters<typeof readQueue>[2]): ReturnType<typeof readQueue> {
    return readQueue(this.table, this.location.partition, wanted);
  }

  /** One page of all records, or of those that have what is wanted. */
  async page({ page, page_size, sort = NEWEST_FIRST, where = [], flags }: PageQuery): Promise<Page<T>> {
    return this.pageIn(this.#source(where, flags), { page, page_size, sort });
  }

  /** How many records have each of some values of a field, by its sets: each count is exact at one moment. */
  countEach(where: readonly Where[], field: string, values: readonly string[]) {
    const having = (value: string) => ({ page: 1, page_size: 0, where: [...where, { field, anyOf: [value] }] });
    return Promise.all(values.map(async (value) => [value, (await this.page(having(value))).total] as const));
  }

  /**
   * The items of all records that meet some conditions, sorted by a field, and the read units that it took.
   * @throws TooManyMatches for more than 500; it names the field where indexes answer all conditions
   */
  async matching(where: readonly Where[], field: string, flags?: Flags | undefined) {
    const all = { page: 1, pageSize: Number.MAX_SAFE_INTEGER, sort: [{ field, descending: false }] };
    const request = { ...all, now: this.session.now, timeLimit: this.session };
    const source = this.#source(where, flags);
    const { items, residualUnits: units = 0 } = await readPage(this.table, source, request);
    const flag = source.flags[field];
    return {
      items: flag === undefined ? items : items.map((item) => ({ ...item, [field]: flag.isTrue(item) })),
      units,
    };
  }

  /** Up to `limit` records in order, after the record `after`. */
  async cursorPage({ after, limit, newestFirst = false, where = [] }: CursorQuery): Promise<CursorPage<T>> {
    const source = this.entity.byTime ? { partition: this.location.partition, newestFirst } : this.#source(where);
    const { items, more } = await readCursorPage(this.table, source, {
      after: after === undefined ? undefined : this.keyOf(after).SK,
      limit,
      now: this.session.now,
      timeLimit: this.session,
    });
    return { records: items.map((item) => this.stored(item)), next: more ? String(items.at(-1)?.id) : undefined };
  }

  /** All records, the oldest first, for the operator's commands. One that is created meanwhile may be missing. */
  async *all(): AsyncGenerator<Stored<T>> {
    const { clock } = this.session;
    for await (const item of readPartition({ table: this.table, clock }, this.location.partition)) {
      if (schema.isRecord(item) && !this.#isExpired(item, clock())) yield this.stored(item);
    }
  }

  /**
   * Checks that a record exists, for records that are never deleted, and values that may change before the commit.
   * It is read while the operation runs, and the commit waits for it. A condition in the transaction would make all
   * records conflict that refer to the same one.
   */
  requireLasting(id: string, onConditionFailed: OnConditionFailed, equals: Item = {}): void {
    const { batch, changes } = this.session;
    const read = () => this.get(id);
    changes.check(async () => {
      const isMet = (found: Stored<T> | undefined) => found !== undefined && Condition.isMet({ equals }, found.item);
      const shared = await batch?.shared.readLasting(schema.nameOf(this.keyOf(id)), read);
      // It may have moved since another operation of the batch has read it.
      const stored = isMet(shared) ? shared : await read();
      if (!isMet(stored)) throw onConditionFailed(stored?.item);
    });
  }

  /** The list as its writers know it. */
  get list() {
    const { retentionDays, ordered } = this.entity;
    return { partition: this.location.partition, filters: this.indexes.names, retentionDays, ordered };
  }

  keyOf(id: string | number): Key {
    const { partition } = this.location;
    if (typeof id === 'number') return { PK: partition, SK: ids.sortKeyOf(id - 1) };
    if (this.entity.single) return { PK: partition, SK: id };
    const number = ids.sortKeyOf(ids.numberOf(id));
    return { PK: partition, SK: this.entity.byTime ? `${number}-${id.slice(RANDOM_FROM)}` : number };
  }

  get table(): Table {
    return this.session.tables.of(this.tenant);
  }

  protected stored(item: Item): Stored<T> {
    return { record: toRecord(this.entity, item), version: Number(item[schema.VERSION]), item };
  }

  #source(where: readonly Where[], given?: Flags | undefined) {
    const { momentary, createdAt } = this.entity;
    const flags = given ?? flagsAt(this.session.timestamp, momentary);
    return { ...this.list, indexes: this.indexes, where, createdAt, flags };
  }

  protected async pageIn(
    source: Parameters<typeof readPage>[1],
    { page, page_size, sort = NEWEST_FIRST }: PageQuery,
  ): Promise<Page<T>> {
    const request = { page, pageSize: page_size, sort, now: this.session.now, timeLimit: this.session };
    const { items, ...read } = await readPage(this.table, source, request);
    return { records: items.map((item) => this.stored(item)), ...read };
  }

  #isExpired(item: Item, now = this.session.now): boolean {
    const expires = expiryOfRecord(item);
    return expires !== undefined && expires * 1000 <= now;
  }
}

const NEWEST_FIRST: readonly SortKey[] = [{ field: 'created_at', descending: true }];

/** Where the random part of an id begins, which differs between records of one time. */
const RANDOM_FROM = 14;

/** Expiry of a record in epoch seconds, where it expires. */
export const expiryOfRecord = ({ [schema.TTL]: expires }: Item): number | undefined =>
  typeof expires === 'number' ? expires : undefined;
