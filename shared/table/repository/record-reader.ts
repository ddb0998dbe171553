import { GetCommand } from '@aws-sdk/lib-dynamodb';
import {
  type Item,
  ids,
  type indexes,
  type Key,
  type List,
  type ListSource,
  readCursorPage,
  readHolders,
  readPage,
  readPartition,
  type SortKey,
  schema,
  type Table,
  type Where,
} from '@custodia/counted-lists';
import { type TenantId, uniqueKey } from '../keys.ts';
import type { RequestSession } from '../session/request-session.ts';
import { type Entity, indexesOf, toRecord } from './entity.ts';
import type { CursorPage, CursorQuery, Page, PageQuery, Stored } from './records.ts';

/** Where the records of a repository are stored. */
export interface Location {
  readonly partition: string;
  /** The parent of the records. */
  readonly parent?: { readonly key: Key; readonly id: string };
}

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

  /** Those of its list: by id, none is needed. */
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

  /** One page of all records, or of those that have what is wanted. */
  async page({ page, page_size, sort = NEWEST_FIRST, where = [] }: PageQuery): Promise<Page<T>> {
    return this.pageIn(this.#source(where), { page, page_size, sort });
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

  /** All records, the oldest first, one query at a time; for the operator's commands. A record that is created meanwhile may be missing. */
  async *all(): AsyncGenerator<Stored<T>> {
    const { clock } = this.session;
    for await (const item of readPartition({ table: this.table, clock }, this.location.partition)) {
      if (schema.isRecord(item) && !this.#isExpired(item, clock())) yield this.stored(item);
    }
  }

  /** The list as its writers know it. */
  get list(): List {
    const { retentionDays, ordered } = this.entity;
    return { partition: this.location.partition, filters: this.indexes.names, retentionDays, ordered };
  }

  keyOf(id: string | number): Key {
    const { partition } = this.location;
    if (typeof id === 'number') return { PK: partition, SK: ids.sortKeyOf(id - 1) };
    if (this.entity.single) return { PK: partition, SK: id };
    const number = ids.sortKeyOf(ids.numberOf(id));
    return { PK: partition, SK: this.entity.byTime ? `${number}-${ids.tailOf(id)}` : number };
  }

  get table(): Table {
    return this.session.tables.of(this.tenant);
  }

  protected stored(item: Item): Stored<T> {
    return { record: toRecord(this.entity, item), version: Number(item[schema.VERSION]), item };
  }

  #source(where: readonly Where[]): ListSource {
    return { ...this.list, indexes: this.indexes, where, createdAt: this.entity.createdAt };
  }

  protected async pageIn(
    source: Parameters<typeof readPage>[1],
    { page, page_size, sort = NEWEST_FIRST }: PageQuery,
  ): Promise<Page<T>> {
    const { items, ...read } = await readPage(this.table, source, {
      page,
      pageSize: page_size,
      sort,
      now: this.session.now,
      timeLimit: this.session,
    });
    return { records: items.map((item) => this.stored(item)), ...read };
  }

  #isExpired(item: Item, now = this.session.now): boolean {
    const expires = expiryOfRecord(item);
    return expires !== undefined && expires * 1000 <= now;
  }
}

const NEWEST_FIRST: readonly SortKey[] = [{ field: 'created_at', descending: true }];

/** Expiry of a record in epoch seconds, where it expires. */
export const expiryOfRecord = ({ [schema.TTL]: expires }: Item): number | undefined =>
  typeof expires === 'number' ? expires : undefined;
