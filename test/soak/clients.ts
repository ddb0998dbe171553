import { type Random, randomOf } from '../support/random.ts';
import type { Act, Entry, Fields, Kind, Recorder } from './recorder.ts';

/** Clients of a run, each of which does one thing after the other, with records of its own and some that all of them change. */

/** Slugs that all clients want. */
const SLUGS = 5;
const STATUSES: Readonly<Record<Kind, readonly string[]>> = {
  clients: ['active', 'inactive'],
  services: ['active', 'maintenance'],
  resources: ['active', 'maintenance'],
  tickets: ['open', 'pending', 'closed'],
};
/** A field of each kind that no index has, and that never changes. */
const UNINDEXED: Readonly<Record<Kind, readonly [field: string, values: readonly string[]]>> = {
  clients: ['plan', ['basic', 'premium']],
  services: ['environment', ['production', 'staging']],
  resources: ['location', ['Lisbon', 'Porto']],
  tickets: ['priority', ['low', 'high']],
};
const DELETABLE = ['services', 'resources', 'tickets'] as const;
const LISTED = ['clients', 'services', 'resources', 'tickets'] as const;

/** A record that a client may act on. */
export interface Held {
  readonly kind: Kind;
  readonly id: string;
  readonly fields: Fields;
}

/** The servers that take requests: all, those that create, and those of them that take one more than once. */
export type Servers = Readonly<Record<'all' | 'creating' | 'repeating', readonly number[]>>;

export class Client {
  readonly #recorder: Recorder;
  readonly #name: string;
  readonly #random: Random;
  readonly #servers: Servers;
  readonly #shared: readonly Held[];
  readonly #client: Held;
  #held: Held[] = [];
  #made = 0;

  /**
   * @param client the record of `/clients` that all of its records belong to
   * @param shared records that others change, too
   */
  constructor(
    recorder: Recorder,
    { name, seed, servers }: { readonly name: string; readonly seed: number; readonly servers: Servers },
    client: Held,
    shared: readonly Held[],
  ) {
    this.#recorder = recorder;
    this.#name = name;
    this.#random = randomOf(seed, name);
    this.#servers = servers;
    this.#client = client;
    this.#shared = shared;
  }

  /** Does the next thing, at one of the servers or, to be sure, at two at once. */
  async step(): Promise<void> {
    const { oneOf, chance } = this.#random;
    const steps = [
      ...Array.from({ length: 3 }, () => () => this.#create('request', 1)),
      () => this.#create('key', 2),
      () => this.#create('event', 2),
      () => this.#send(this.#creation('clients', { slug: `slug-${this.#random.below(SLUGS)}` }, 'request')),
      ...Array.from({ length: 2 }, () => () => this.#change(chance(0.3) ? this.#shared : this.#held)),
      () => this.#delete(),
      ...Array.from({ length: 2 }, () => () => this.#list()),
    ];
    await oneOf<() => Promise<unknown>>(steps)();
  }

  async #create(via: 'request' | 'key' | 'event', times: number): Promise<void> {
    const kind = this.#random.oneOf(DELETABLE);
    const [service] = kind === 'resources' ? this.#held.filter((held) => held.kind === 'services') : [];
    const fields = { client_id: this.#client.id, ...(service === undefined ? {} : { service_id: service.id }) };
    const act = this.#creation(kind, fields, via);
    const entries = await Promise.all(Array.from({ length: times }, () => this.#send(act)));
    const id = entries.find(({ status }) => status === 201)?.body.id;
    if (id !== undefined) this.#held.push({ kind, id: String(id), fields });
  }

  #creation(kind: Kind, fields: Fields, via: 'request' | 'key' | 'event'): Act & { readonly do: 'create' } {
    const mark = `${this.#name}-${this.#made++}`;
    return { do: 'create', kind, mark, fields: { ...fields, ...this.#unindexed(kind) }, via };
  }

  async #change(among: readonly Held[]): Promise<void> {
    const held = this.#oneOf(among);
    if (held === undefined) return this.#list();
    const status = this.#random.oneOf(STATUSES[held.kind]);
    // A change that changes nothing would raise no version.
    const fields = { status, description: `${this.#name}-${this.#made++}` };
    await this.#send({ do: 'change', kind: held.kind, id: held.id, fields });
  }

  /** A service only if it has no resource, for it would be refused. */
  async #delete(): Promise<void> {
    const deletable = this.#held.filter(
      ({ id }) => !this.#recorder.history.some(({ act }) => act.do === 'create' && act.fields.service_id === id),
    );
    const held = this.#oneOf(deletable);
    if (held === undefined) return this.#list();
    this.#held = this.#held.filter((other) => other !== held);
    await this.#send({ do: 'delete', kind: held.kind, id: held.id });
  }

  async #list(): Promise<void> {
    const { oneOf } = this.#random;
    const kind = oneOf(LISTED);
    const filters: Fields[] = [
      {},
      { status: oneOf(STATUSES[kind]) },
      this.#unindexed(kind),
      ...(kind === 'clients' ? [] : [{ client_id: this.#client.id }]),
    ];
    const sort = oneOf([{}, {}, { sort: 'status' }, { sort: '-status' }]);
    await this.#send({ do: 'list', kind, filter: oneOf(filters), ...sort, pageSize: oneOf([5, 100]) });
  }

  #unindexed(kind: Kind): Fields {
    const [field, values] = UNINDEXED[kind];
    return { [field]: this.#random.oneOf(values) };
  }

  #oneOf(among: readonly Held[]): Held | undefined {
    return among.length === 0 ? undefined : this.#random.oneOf(among);
  }

  #send(act: Act): Promise<Entry> {
    const { all, creating, repeating } = this.#servers;
    const servers = act.do !== 'create' ? all : act.via === 'request' ? creating : repeating;
    return this.#recorder.act(this.#random.oneOf(servers), act);
  }
}
