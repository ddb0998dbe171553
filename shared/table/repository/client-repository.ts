import type { Where } from '@custodia/counted-lists';
import { ChildRepository } from './child-repository.ts';
import type { CursorPage, CursorQuery, Page, PageQuery, Stored } from './records.ts';
import { Repository } from './repository.ts';
import type { NewRecord, UpdateOptions } from './write-options.ts';

/**
 * Repositories of a request that sees some clients only (`docs/security.md`). All other records are as if they were not
 * there, whatever an operation asks for, and none of them is written. What no such request needs is closed.
 *
 * `ofClient` of an entity names the field that says to which client a record belongs. Without it such a request has
 * none of its records, except those below others, which are of their parent's client. Where it is null, it has all:
 * those are written beside others, or read for what no response shows. Made only by the tenant handle (`tenant.ts`).
 */

/** The error where an operation has let through what is not for people of a client: that is its mistake. */
const closed = (kind: string, what: string): Error =>
  new Error(`${kind}: a request that sees some clients only has no ${what}`);

/** The records of some clients. */
export class ClientRepository<T extends object> extends Repository<T> {
  readonly #clients: readonly string[];
  readonly #field: 'id' | 'client_id';
  /** What all of its lists require. */
  readonly #forced: Where;

  /** @throws Error for an entity that does not say to which client its records belong */
  constructor(clients: readonly string[], ...made: ConstructorParameters<typeof Repository<T>>) {
    super(...made);
    const { name, ofClient, byTime } = this.entity;
    if (!ofClient || byTime) throw closed(name, 'records');
    this.#clients = clients;
    this.#field = ofClient;
    this.#forced = ofClient === 'id' ? { field: 'id', ids: new Set(clients) } : { field: ofClient, anyOf: clients };
  }

  override async get(id: string): Promise<Stored<T> | undefined> {
    const stored = await super.get(id);
    return stored !== undefined && this.#sees(stored.record) ? stored : undefined;
  }

  override page(query: PageQuery): Promise<Page<T>> {
    return super.page({ ...query, where: this.#where(query.where) });
  }

  override matching(where: readonly Where[], field: string, flags?: PageQuery['flags']) {
    return super.matching(this.#where(where), field, flags);
  }

  override cursorPage(query: CursorQuery): Promise<CursorPage<T>> {
    return super.cursorPage({ ...query, where: this.#where(query.where) });
  }

  override create<L extends keyof T = never>(given: NewRecord<T, L>): Promise<Stored<T>> {
    this.requireSeen(given.fields);
    return super.create(given);
  }

  override update(stored: Stored<T>, given: Partial<T>, options?: UpdateOptions<T>): Promise<Stored<T>> {
    this.requireSeen(stored.record);
    this.requireSeen({ ...stored.record, ...given });
    return super.update(stored, given, options);
  }

  /** Stages the condition that a record exists at commit, and is of the client of which it is now. */
  override require(...[id, refusal, equals = {}]: Parameters<Repository<T>['require']>): void {
    void this.session.changes.staging(async () => {
      const stored = await this.get(id);
      if (stored === undefined) throw refusal(undefined);
      super.require(id, refusal, { [this.#field]: stored.item[this.#field], ...equals });
    });
  }

  /** @throws Error for a record of another client, or of none */
  requireSeen(record: object): void {
    if (!this.#sees(record)) throw closed(this.entity.name, 'records of other clients');
  }

  #sees(record: object): boolean {
    return this.#clients.includes(String((record as Readonly<Record<string, unknown>>)[this.#field]));
  }

  #where(where: readonly Where[] = []): readonly Where[] {
    return [...where, this.#forced];
  }
}

/** The records below one that may be of one of the clients, without those that only the organization's people see. */
export class ClientChildRepository<T extends object> extends ChildRepository<T> {
  readonly #parents: ClientRepository<object>;

  constructor(parents: ClientRepository<object>, ...made: ConstructorParameters<typeof ChildRepository<T>>) {
    super(...made);
    this.#parents = parents;
  }

  override async get(id: string): Promise<Stored<T> | undefined> {
    const [parent, stored] = await Promise.all([this.#parent(), super.get(id)]);
    return parent !== undefined && stored !== undefined && this.#isShown(stored.record) ? stored : undefined;
  }

  /** Also the id of the last record is of one that is shown. Each call reads more: many that are not shown take few. */
  override async cursorPage(query: CursorQuery): Promise<CursorPage<T>> {
    if ((await this.#parent()) === undefined) return { records: [], next: undefined };
    const shown: Stored<T>[] = [];
    let { after, limit } = query;
    do {
      const { records, next } = await super.cursorPage({ ...query, after, limit });
      shown.push(...records.filter(({ record }) => this.#isShown(record)));
      [after, limit] = [next, Math.min(2 * limit, 1_000)];
    } while (after !== undefined && shown.length <= query.limit);
    const records = shown.slice(0, query.limit);
    return { records, next: shown.length > query.limit ? String(records.at(-1)?.item.id) : undefined };
  }

  override create<L extends keyof T = never>(given: NewRecord<T, L>): Promise<Stored<T>> {
    if (!this.#isShown(given.fields)) throw closed(this.entity.name, 'records of the organization itself');
    return this.session.changes.staging(async () => {
      if ((await this.#parent()) === undefined) throw closed(this.entity.name, 'records below those of other clients');
      return super.create(given);
    });
  }

  override createNumbered(parent: Stored<object>, fields: Omit<T, 'id'>): Stored<T> {
    this.#parents.requireSeen(parent.record);
    return super.createNumbered(parent, fields);
  }

  #parent(): Promise<Stored<object> | undefined> {
    return this.#parents.get(this.location.parent?.id ?? '');
  }

  #isShown(record: object): boolean {
    const { internal } = this.entity;
    return internal === undefined || (record as Readonly<Record<string, unknown>>)[internal] === false;
  }
}

/** Closed, besides what only the repositories of one parent have. */
const CLOSED = [
  ...(['idOf', 'idsWith', 'waiting', 'all', 'createAll', 'createSingle'] as const),
  ...(['claimValue', 'remove', 'erase', 'setOf', 'deleteSet'] as const),
] satisfies (keyof Repository<object>)[];
const CLOSED_BELOW = [
  ...CLOSED,
  ...(['page', 'matching', 'countEach', 'require', 'requireLasting', 'update', 'pageBelow'] as const),
  ...(['keys', 'deleteAll'] as const),
] satisfies (keyof ChildRepository<object>)[];

const close = (kind: typeof ClientRepository | typeof ClientChildRepository, names: readonly string[]): void => {
  for (const name of names) {
    const value = function (this: Repository<object>): never {
      throw closed(this.entity.name, name);
    };
    Object.defineProperty(kind.prototype, name, { value });
  }
};
close(ClientRepository, CLOSED);
close(ClientChildRepository, CLOSED_BELOW);
