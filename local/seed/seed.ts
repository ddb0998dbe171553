import { randomBytes } from 'node:crypto';
import { type Created, type FieldValues, SeedApi, type SeedApiOptions } from './api.ts';
import { sampleClient, sampleResource, sampleService, sampleServiceAction, sampleTerminal } from './companies.ts';
import { type Delivered, showDelivery } from './delivery.ts';
import { AUDITOR, ROLES, sampleLogEntry, talk, USERS } from './people.ts';
import { upTo, withConcurrency } from './pool.ts';
import { Random } from './random.ts';
import { DAY_MS, samples } from './samples.ts';

export interface SeedOptions extends SeedApiOptions {
  readonly clients: number;
  /** How far back the samples of resources go. */
  readonly days: number;
  /** In epoch milliseconds; the time of the last samples. */
  readonly now: number;
  /** Called now and then with the progress. */
  readonly onProgress?: (text: string) => void;
}

/** What the seed created, and how to look at it. */
export interface Seeded {
  readonly orgId: string;
  readonly appCode: string;
  readonly secret: string;
  readonly token: string;
  /** The id of a resource with a history to look at. */
  readonly resourceId: string;
  /** The event of its last change; undefined where no delivery came in time. */
  readonly delivered: Delivered | undefined;
  readonly requests: number;
}

/** Requests at once. More do not make it faster: the API is one process. */
const CONCURRENCY = 8;
const LOGS_A_CLIENT = 10;

/** Makes a new organization and fills it through the API. @throws SeedError */
export async function seed(options: SeedOptions): Promise<Seeded> {
  const api = new SeedApi(options);
  const key = await register(api);
  const filling = new Filling(api, options);
  const resources = await filling.run();
  const [first] = resources;
  const delivered = await showDelivery(api, 'role.created', () => api.post('/roles', AUDITOR));
  return { ...key, token: api.token, resourceId: first?.id ?? '', delivered, requests: api.requests };
}

/** The first key of a new organization, which `npm start` gives to anybody, and a token. */
async function register(api: SeedApi): Promise<Pick<Seeded, 'orgId' | 'appCode' | 'secret'>> {
  const suffix = randomBytes(4).toString('hex');
  const appCode = `demo-${suffix}`;
  const { org_id, secret } = await api.post('/integrations', { app_code: appCode, display_name: `Demo ${suffix}` });
  const { access_token } = await api.post('/auth/login', { app_code: appCode, secret });
  api.token = String(access_token);
  return { orgId: String(org_id), appCode, secret: String(secret) };
}

/** 0, 1, 2 …, so many of them. */
interface Place {
  readonly client_id: string;
  readonly service_id: string | null;
}

/** Fills one organization. Each client has a seed of its own, so that its records do not depend on those of others. */
class Filling {
  readonly #api: SeedApi;
  readonly #options: SeedOptions;
  #phase = '';
  /** The number of all requests, once it is known. */
  #total: number | undefined;

  constructor(api: SeedApi, options: SeedOptions) {
    this.#api = api;
    this.#options = options;
  }

  /** Returns the resources. */
  async run(): Promise<readonly Created[]> {
    const { clients, days, now } = this.#options;
    this.#phase = 'clients, services, resources, tickets';
    const resources = (await withConcurrency(CONCURRENCY, upTo(clients), (index) => this.#client(index))).flat();

    this.#phase = 'samples, users, log entries';
    const histories = resources.map(({ id }, index) => ({ id, history: samples(days, now, new Random(index)) }));
    const random = new Random(clients);
    const entries = upTo(clients * LOGS_A_CLIENT).map(() => sampleLogEntry(random));
    const requests = [...histories.flatMap(({ history }) => history), ...entries, ...ROLES, ...USERS, ...USERS];
    this.#total = this.#api.requests + requests.length;
    await withConcurrency(CONCURRENCY, histories, ({ id, history }) =>
      this.#inTurn(`/resources/${id}/history`, history),
    );
    await this.#people();
    await withConcurrency(CONCURRENCY, entries, (entry) => this.#post('/logs/ingest', entry));
    return resources;
  }

  /** Creates a client with all its records except samples. Returns its resources. */
  async #client(index: number): Promise<readonly Created[]> {
    const random = new Random(index);
    const fields = sampleClient(index, random);
    const { id: client_id } = await this.#post('/clients', fields);
    const since = new Date(this.#options.now - this.#options.days * DAY_MS).toISOString();
    const resources: Created[] = [];
    await this.#talk({ client_id, service_id: null }, random);
    for (const made of upTo(random.between(2, 4))) {
      const { host, ...serviceFields } = sampleService(index + made, { client_id, slug: fields.slug }, random);
      const { id: service_id } = await this.#post('/services', serviceFields);
      const place = { client_id, service_id, host, since };
      for (const other of upTo(random.between(1, 2))) {
        resources.push(await this.#post('/resources', sampleResource(other, place, random)));
      }
      await this.#post('/service-actions', sampleServiceAction(service_id, random));
      await this.#talk({ client_id, service_id }, random);
    }
    const terminals = upTo(random.between(1, 2)).map((number) => sampleTerminal(number, client_id, random));
    await this.#inTurn('/terminals', terminals);
    return resources;
  }

  async #talk(place: Place, random: Random): Promise<void> {
    const { ticket, messages } = talk(place, random);
    const { id } = await this.#post('/tickets', ticket);
    await this.#inTurn(`/tickets/${id}/messages`, messages);
  }

  async #people(): Promise<void> {
    const roles = await withConcurrency(CONCURRENCY, ROLES, (role) => this.#post('/roles', role));
    await withConcurrency(CONCURRENCY, [...USERS.entries()], async ([index, fields]) => {
      const { id: user_id } = await this.#post('/users', fields);
      await this.#post('/users/memberships', { user_id, role_id: roles[index % roles.length]?.id ?? null });
    });
  }

  async #inTurn(path: string, bodies: readonly FieldValues[]): Promise<void> {
    for (const body of bodies) await this.#post(path, body);
  }

  async #post(path: string, fields: FieldValues): Promise<Created> {
    const created = await this.#api.post(path, fields);
    const { requests, waits } = this.#api;
    const all = this.#total === undefined ? '' : ` of ${this.#total}`;
    const waited = waits === 0 ? '' : `, ${waits} times out of budget`;
    this.#options.onProgress?.(`${this.#phase}: ${requests}${all} requests${waited}`);
    return created;
  }
}
