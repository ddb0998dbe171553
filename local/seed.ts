import { randomBytes, randomUUID } from 'node:crypto';
import { type BatchOperation, type Custodia, createCustodia } from '../packages/client/src/index.ts';
import { folded } from '../shared/words.ts';
import { upTo } from './pool.ts';
import data from './seed.json' with { type: 'json' };

/**
 * Fills a demo organization with the records of `seed.json`, as any caller of the API does: with its client, in
 * batches.
 */

/** The records cannot be made; the message is one sentence. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

export interface SeedOptions {
  /** Without a path: `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly clients: number;
  /** How far back the samples of resources go. */
  readonly days: number;
  /** In epoch milliseconds; the time of the last samples. */
  readonly now: number;
  /** Called with the number of records so far. */
  readonly onProgress?: (records: number) => void;
}

/** What the seed created, and how to look at it. */
export interface Seeded {
  readonly orgId: string;
  readonly appCode: string;
  readonly secret: string;
  readonly token: string;
  /** The id of a resource with a history to look at. */
  readonly resourceId: string;
  readonly records: number;
}

/** Makes a new organization, whose first key `npm start` gives to anybody, and fills it. @throws SeedError */
export async function seed(options: SeedOptions): Promise<Seeded> {
  const { url } = options;
  const appCode = `demo-${randomBytes(4).toString('hex')}`;
  try {
    const open = createCustodia({ baseUrl: url });
    const body = { app_code: appCode, display_name: `Demo ${appCode}` };
    const made = (await open.POST('/api/v1/integrations', { body })).data;
    const secret = String(made.secret);
    const login = { body: { app_code: appCode, secret } };
    const { access_token: token } = (await open.POST('/api/v1/auth/login', login)).data;
    // A small budget is waited for.
    const retry = { attempts: 20, longest: 60_000 };
    const filling = new Filling(createCustodia({ baseUrl: url, credentials: { token }, retry }), options);
    const resourceId = await filling.run();
    return { orgId: String(made.org_id), appCode, secret, token, resourceId, records: filling.records };
  } catch (cause) {
    if (cause instanceof TypeError && cause.message === 'fetch failed')
      throw new SeedError(`No API answers at ${url}: run npm start first, or name its address with --url.`, { cause });
    throw cause;
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Creation = BatchOperation['operation'];
interface Place {
  readonly client_id: string;
  readonly service_id: string | null;
}

const DAY_MS = 86_400_000;
const SAMPLES_A_DAY = 2;
const LOGS_A_CLIENT = 10;
/** Most log entries of one request. */
const MOST_ENTRIES = 45;

/** The element with this number, from 0, of a list that is repeated. */
const nth = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

class Filling {
  records = 0;
  readonly #api: Custodia;
  readonly #options: SeedOptions;

  constructor(api: Custodia, options: SeedOptions) {
    this.#api = api;
    this.#options = options;
  }

  /** @returns the id of a resource */
  async run(): Promise<string> {
    const { clients, days, now } = this.#options;
    const fields = upTo(clients).map(clientFields);
    const clientIds = await this.#create('createClient', fields);
    const services = fields.flatMap(({ slug }, index) =>
      upTo(2 + (index % 3)).map((number) => ({
        ...serviceFields(index + number, slug),
        client_id: nth(clientIds, index),
      })),
    );
    const serviceIds = await this.#create(
      'createService',
      services.map(({ host: _, ...service }) => service),
    );
    const provisioned_at = new Date(now - days * DAY_MS).toISOString();
    const resources = services.map(({ client_id, host }, index) => {
      const place = { client_id, service_id: serviceIds[index], name: `${host}-1`, provisioned_at };
      return {
        ...place,
        ...nth(data.resources, index),
        ip_address: `192.0.2.${1 + (index % 254)}`,
        alert_threshold: 85,
      };
    });
    const resourceIds = await this.#create('createResource', resources);
    const places: Place[] = [
      ...clientIds.map((client_id) => ({ client_id, service_id: null })),
      ...services.map(({ client_id }, index) => ({ client_id, service_id: nth(serviceIds, index) })),
    ];
    await this.#tickets(places);
    await this.#create('createServiceAction', serviceIds.map(actionFields));
    const terminals = clientIds.flatMap((client_id, index) =>
      upTo(1 + (index % 2)).map((number) => ({ client_id, ...nth(data.terminals, index + number) })),
    );
    await this.#create('createTerminal', terminals);
    await this.#people();
    await this.#samples(resourceIds);
    await this.#logs();
    return nth(resourceIds, 0);
  }

  async #tickets(places: readonly Place[]): Promise<void> {
    const contact_id = randomUUID();
    const tickets = places.map((place, index) => {
      const { ticket, messages } = nth(data.tickets, index);
      return {
        ...place,
        ...ticket,
        contact_id,
        description: nth(messages, 0),
        assigned_team: 'support',
        tags: ['demo'],
      };
    });
    const ids = await this.#create('createTicket', tickets);
    const author_id = randomUUID();
    for (const number of upTo(Math.max(...data.tickets.map(({ messages }) => messages.length)))) {
      const author =
        number === 0 ? { author_type: 'contact', author_id: contact_id } : { author_type: 'user', author_id };
      const operations = ids.flatMap((id, index) => {
        const message = nth(data.tickets, index).messages[number];
        return message === undefined ? [] : [{ params: { id }, body: { ...author, message } }];
      });
      await this.#carryOut('createTicketMessage', operations);
    }
  }

  async #people(): Promise<void> {
    const roles = await this.#create('createRole', data.roles);
    const users = await this.#create('createUser', data.users);
    const memberships = users.map((user_id, index) => ({ user_id, role_id: nth(roles, index) }));
    await this.#create('createMembership', memberships);
  }

  /** Oldest first: each is how its resource is then. */
  async #samples(resourceIds: readonly string[]): Promise<void> {
    const count = this.#options.days * SAMPLES_A_DAY;
    for (const number of upTo(count)) {
      const left = count - 1 - number;
      const time = new Date(this.#options.now - (left * DAY_MS) / SAMPLES_A_DAY);
      const operations = resourceIds.map((id, index) => ({
        params: { id },
        body: sampleFields(index, left, count, time),
      }));
      await this.#carryOut('createResourceHistoryEntry', operations);
    }
  }

  async #logs(): Promise<void> {
    const entries = upTo(this.#options.clients * LOGS_A_CLIENT).map((index) => nth(data.logs, index));
    while (entries.length > 0) {
      const body = { entries: entries.splice(0, MOST_ENTRIES) };
      await this.#api.POST('/api/v1/logs/ingest', { body: body as never });
      this.#count(body.entries.length);
    }
  }

  #create(operation: Creation, bodies: readonly Fields[]): Promise<readonly string[]> {
    return this.#carryOut(
      operation,
      bodies.map((body) => ({ body })),
    );
  }

  /** @returns the ids of what was created, in order. @throws SeedError */
  async #carryOut(operation: Creation, inputs: readonly Fields[]): Promise<readonly string[]> {
    // The compiler does not know which body belongs to which operation.
    const operations = inputs.map((input) => ({ key: randomUUID(), operation, ...input }) as BatchOperation);
    const ids = new Map<string, string>();
    for await (const { operation: sent, status, body, problem } of this.#api.importRecords(operations)) {
      if (status !== 201) throw new SeedError(`${operation} was answered with ${status}: ${JSON.stringify(problem)}.`);
      ids.set(sent.key, String(body?.id));
      this.#count(1);
    }
    return operations.map(({ key }) => ids.get(key) ?? '');
  }

  #count(records: number): void {
    this.records += records;
    this.#options.onProgress?.(this.records);
  }
}

/** A hundred clients have names of their own, the others a name with a number. */
function clientFields(index: number) {
  const { first, second, plans, timezones } = data.clients;
  const words = [nth(first, index), nth(second, index + Math.floor(index / 10)), ...(index < 100 ? [] : [index + 1])];
  const name = words.join(' ');
  const slug = folded(name).replaceAll(' ', '-');
  return {
    name,
    slug,
    email: `it@${slug}.example`,
    phone: 351_210_000_000 + index,
    plan: nth(plans, index),
    timezone: nth(timezones, index),
    metadata: { employees: 4 + 13 * index, since: 2014 + (index % 12) },
  };
}

function serviceFields(index: number, slug: string) {
  const service = nth(data.services, index);
  return {
    ...service,
    description: `${service.name} of ${slug}, looked after by us.`,
    url: `https://${service.host}.${slug}.example`,
    uptime_percentage: 99 + (index % 10) / 10,
    tags: [service.type, nth(['gold', 'silver'], index)],
    deployment_config: { region: 'eu-west-1', replicas: 1 + (index % 3) },
  };
}

const actionFields = (service_id: string, index: number): Fields => ({
  service_id,
  action_type: nth(['restart', 'deploy', 'backup'], index),
  status: index % 10 === 9 ? 'failed' : 'completed',
  parameters: { requested_by: nth(['schedule', 'ticket'], index) },
});

/**
 * How a resource is at a time: a wave by the hour, and a disk that fills up. One in eight has a full disk in the end,
 * one in twelve is degraded.
 * @param left number of samples after this one
 */
function sampleFields(index: number, left: number, count: number, time: Date): Fields {
  const wave = Math.sin(((time.getUTCHours() - 8) / 24) * 2 * Math.PI);
  const noise = (index * 7 + left * 3) % 10;
  const fullest = index % 8 === 7 ? 96 : 25 + ((index * 11) % 45);
  return {
    timestamp: time.toISOString(),
    cpu_usage: Math.round(28 + (index % 20) + 18 * wave + noise),
    memory_usage: Math.round(35 + (index % 30) + 6 * wave + noise / 2),
    storage_usage: Math.round(fullest - left * (12 / count)),
    health_status: left < 2 && index % 12 === 11 ? 'degraded' : 'healthy',
  };
}
