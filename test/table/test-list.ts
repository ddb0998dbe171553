import { randomUUID } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ids, type Key, schema, storedSets, type Table } from '@custodia/counted-lists';
import { counterKeyOf } from '@custodia/counted-lists/maintenance';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { beforeAll, beforeEach } from 'vitest';
import type { Entity, Repository, Stored, Tenant } from '#table';
import { kind } from '../../operator/maintenance/verify/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import type { Clock } from '../../shared/clock.ts';
import { type Asked, asked } from '../support/asked.ts';
import { auditOf, itemsIn, numbersIn, recordsIn, type Values } from '../support/audit.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

export type Filter = NonNullable<Asked['filter']>;

/** How something is done: at a time (epoch milliseconds, or a clock), over a connection with faults, with so much patience (milliseconds). */
export interface How {
  readonly at?: number | Clock;
  readonly over?: NodeHttpHandler | undefined;
  readonly patience?: number;
}

/** What an audit finds where nothing is wrong. */
export const NO_FAULTS = { lost: [], faults: [] };

/** A table of its own for a test file, with an organization of its own for each test. */
export class TestTable {
  place!: FreshTable;
  table!: Table;
  org = '';
  readonly #now: number | undefined;

  constructor(now?: number) {
    this.#now = now;
  }

  /** The table over a connection of its own. */
  over(handler?: NodeHttpHandler): Table {
    return handler === undefined ? this.table : tableAt(this.place, handler);
  }

  open({ at = this.#now, over, patience }: How = {}): Tenant {
    return openTenant(this.over(over), this.org, typeof at === 'number' ? () => at : at, patience);
  }

  async item(key: Key): Promise<Record<string, unknown> | undefined> {
    const asked = new GetCommand({ TableName: this.table.name, Key: { ...key }, ConsistentRead: true });
    return (await this.table.client.send(asked)).Item;
  }

  /** Changes an item past the service. An attribute that is a reserved word is named `#like_this`. */
  async update(key: Key, expression: string, values?: Record<string, unknown>): Promise<void> {
    const names = expression.match(/#\w+/g)?.map((name) => [name, name.slice(1)]);
    await this.table.client.send(
      new UpdateCommand({
        TableName: this.table.name,
        Key: { ...key },
        UpdateExpression: expression,
        ExpressionAttributeValues: values,
        ...(names && { ExpressionAttributeNames: Object.fromEntries(names) }),
      }),
    );
  }
}

/** @param now the time at which everything is done that says no other */
export function useTable(now?: number): TestTable {
  const made = new TestTable(now);
  beforeAll(async () => {
    made.place = await freshTable();
    made.table = tableAt(made.place);
  });
  beforeEach(() => void newOrganization(made));
  return made;
}

/** Begins with an organization without records. @returns its id */
export function newOrganization(table: TestTable): string {
  table.org = randomUUID();
  return table.org;
}

/** The records of an entity in the organization of a test: what the service does with them, and what is stored. */
export class TestList<T extends { readonly id: string }> {
  readonly entity: Entity<T>;
  readonly #table: TestTable;
  readonly #defaults: Partial<T>;
  readonly #values: Values;

  /** @param defaults of new records @param values that the audit expects in the sets of filters */
  constructor(table: TestTable, entity: Entity<T>, defaults: Partial<T> = {}, values: Values = {}) {
    this.#table = table;
    this.entity = entity;
    this.#defaults = defaults;
    this.#values = values;
  }

  get partition(): string {
    return `ORG#${this.#table.org}#${this.entity.name}`;
  }

  get counterItem(): Key {
    return counterKeyOf(this.partition);
  }

  records(how?: How): Repository<T> {
    return this.#table.open(how).records(this.entity);
  }

  /** Does something as the pipeline would. */
  do<R>(operation: (records: Repository<T>, tenant: Tenant) => Promise<R>, how?: How): Promise<R> {
    return doIn(this.#table.open(how), (tenant) => operation(tenant.records(this.entity), tenant));
  }

  create(fields: Partial<T> = {}, how?: How): Promise<Stored<T>> {
    return this.do((records) => records.create({ fields: { ...this.#defaults, ...fields } as T }), how);
  }

  async createId(fields?: Partial<T>, how?: How): Promise<string> {
    return (await this.create(fields, how)).record.id;
  }

  change(id: string, fields: Partial<T>, how?: How): Promise<Stored<T>> {
    return this.do(async (records) => records.update(await present(records, id), fields), how);
  }

  remove(id: string, how?: How): Promise<void> {
    return this.do(async (records) => records.remove(await present(records, id)), how);
  }

  /** Takes numbers and does nothing with them, as a process does that dies. */
  async lose(count = 1, how?: How): Promise<void> {
    for (let index = 0; index < count; index++) await this.records(how).create({ fields: this.#defaults as T });
  }

  /** Gives numbers to nobody, many at once: as a list is that is so long. */
  skip(count: number, at = Date.now()): Promise<void> {
    return this.#table.update(this.counterItem, 'SET #AT = :at ADD #NEXT :count', { ':at': at, ':count': count });
  }

  page(query: Asked = {}, how?: How) {
    return this.records(how).page(asked(query));
  }

  /** The total of a page, and the ids on it. */
  async read(query?: Asked, how?: How): Promise<{ total: number; ids: string[] }> {
    const { total, records } = await this.page(query, how);
    return { total, ids: records.map(({ record }) => record.id) };
  }

  /** All records that have what is wanted, and who knows which they are: indexes, or the records themselves, which were read for that. */
  async found(query?: Asked, how?: How): Promise<{ ids: string[]; by: 'indexes' | 'records' }> {
    const { total, records, residualUnits } = await this.page(query, how);
    if (total !== records.length) throw new Error(`${total} records were found, and ${records.length} returned`);
    return { ids: records.map(({ record }) => record.id), by: residualUnits === undefined ? 'indexes' : 'records' };
  }

  stored(): Promise<T[]> {
    return recordsIn(this.#table.table, this.partition) as Promise<unknown> as Promise<T[]>;
  }

  gaps(): Promise<number[]> {
    return numbersIn(this.#table.table, storedSets.partitionOf(this.partition));
  }

  audit() {
    return auditOf(this.#table.table, this.partition, this.#values);
  }

  /** The tombstones of numbers that never had a record. */
  async tombstones() {
    const items = await itemsIn(this.#table.table, this.partition);
    const left = items.filter((item) => item[schema.TOMBSTONE] !== undefined && item.DELETED === undefined);
    return left.map((item) => ({ ...item, number: ids.numberIn(String(item.SK)) }) as { number: number; TTL?: number });
  }

  verify(repair: boolean, how?: How) {
    return verify(this.#table.open(how), [kind(this.entity)], { repair });
  }
}

async function present<T extends object>(records: Repository<T>, id: string): Promise<Stored<T>> {
  const stored = await records.get(id);
  if (stored === undefined) throw new Error('it is not there');
  return stored;
}
