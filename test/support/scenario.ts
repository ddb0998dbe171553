import { randomUUID } from 'node:crypto';
import { type Body, type Route, referencesIn, uniqueFieldsOf } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { sign } from '../../functions/webhooks/signature.ts';
import type { Api, JsonBody, OrgAccess } from './api.ts';
import type { FreshTable } from './dynamodb.ts';
import { creatorOf, freshValue } from './relations.ts';
import { challengeOf } from './verified.ts';

/**
 * A valid request for every operation, from the contracts: the body is the route's own example with references to
 * existing records and with new unique values; the path has ids of new records. A new route gets its scenario
 * automatically.
 */
export interface Scenario {
  readonly operationId: string;
  readonly route: Route;
  readonly path: string;
  readonly body: JsonBody | undefined;
  readonly token: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export const operations: readonly (readonly [operationId: string, route: Route])[] = contracts.flatMap(({ routes }) =>
  Object.entries(routes),
);

/** Records that no operation creates directly: the operation that leaves them, and their list. */
const LEFT_BY: Readonly<Record<string, readonly [operationId: string, list: string]>> = {
  WebhookEvent: ['receiveWebhook', '/api/v1/webhook-events'],
  AuditEvent: ['createRole', '/api/v1/audit-events'],
};

/** Operations of platform callers alone. */
export const PLATFORM_ONLY: ReadonlySet<string> = new Set(['listOrgs', 'createOrg']);

interface ApiOfTenant extends Pick<Api, 'request' | 'platformToken'> {
  /** By default that of the environment. */
  readonly table?: FreshTable;
}

/** A tenant for scenarios. */
export class TestTenant {
  readonly #api: ApiOfTenant;
  readonly #org: OrgAccess;
  /** Ids of those that all calls share. */
  readonly #lasting = new Set<string>();
  readonly #made = new Map<string, Promise<string>>();
  /** The types of actions for runners, by their ids: each its own, so that a claim gets it. */
  readonly #runs = new Map<string, string>();

  constructor(api: ApiOfTenant, org: OrgAccess) {
    this.#api = api;
    this.#org = org;
  }

  /** A request that would succeed. Its path's records are fresh, its references are shared within this tenant. */
  async scenario(operationId: string): Promise<Scenario> {
    const route = operations.find(([id]) => id === operationId)?.[1];
    if (route === undefined) throw new Error(`no operation ${operationId}`);
    if (operationId === 'createIdentityProvider') await this.#makeRoomForProvider();
    const path = `${await this.#pathOf(route)}${this.#queryOf(route)}`;
    const { body: taken, bodyExample } = route;
    const body =
      taken === undefined || bodyExample === undefined
        ? undefined
        : await this.#bodyOf(operationId, taken, bodyExample, path);
    return {
      operationId,
      route,
      path,
      body,
      token: await this.#tokenFor(operationId, route),
      headers: this.#headersFor(route, body),
    };
  }

  /** Sends a scenario's request. */
  send({ route, path, body, token, headers }: Scenario, more: Readonly<Record<string, string>> = {}) {
    return this.#api.request<JsonBody>(route.method, path, {
      ...(token === undefined ? {} : { token }),
      ...(body === undefined ? {} : { body }),
      headers: { ...headers, ...more },
    });
  }

  /**
   * The id of a record of this name, the same in every call: the tenant's own organization and integration, or a new
   * record.
   */
  reference(record: string): Promise<string> {
    if (record === 'Organization') return Promise.resolve(this.#org.orgId);
    if (record === 'Integration') return Promise.resolve(this.#org.integrationId);
    const known = this.#made.get(record);
    if (known !== undefined) return known;
    const made = this.make(record);
    this.#made.set(record, made);
    made.then((id) => this.#lasting.add(id)).catch(() => undefined);
    return made;
  }

  /** Creates a record of this name and returns its id. For organizations, returns the tenant's own. */
  async make(record: string): Promise<string> {
    if (record === 'Organization') return this.#org.orgId;
    if (LEFT_BY[record] !== undefined) return this.#makeBy(...LEFT_BY[record]);
    const [operationId] = creatorOf(record) ?? [];
    if (operationId === undefined)
      throw new Error(`no operation takes a ${record}Create, so nothing creates a ${record}`);
    const { status, body } = await this.send(await this.scenario(operationId));
    if (status !== 201) throw new Error(`making a ${record} answered ${status} ${JSON.stringify(body)}`);
    return String(body.id);
  }

  /** An organization has 20 at most. Those of which there are identities stay. */
  async #makeRoomForProvider(): Promise<void> {
    const list = '/api/v1/identity-providers';
    const token = this.#org.token;
    const { body } = await this.#api.request<{ data: { id: string }[] }>('GET', `${list}?page_size=20`, { token });
    const others = body.data.filter(({ id }) => !this.#lasting.has(id)).slice(15);
    for (const { id } of others) await this.#api.request('DELETE', `${list}/${id}`, { token });
  }

  async #makeRun(): Promise<string> {
    const action_type = newSuffix();
    const asked = { service_id: await this.reference('Service'), action_type, run: true };
    const id = String((await this.#post('/api/v1/service-actions', asked)).id);
    this.#runs.set(id, action_type);
    return id;
  }

  /** One without a service, which moves by itself. */
  async #makeResourceAlone(): Promise<string> {
    const client_id = await this.reference('Client');
    return String((await this.#post('/api/v1/resources', { client_id, name: 'Disk', type: 'volume' })).id);
  }

  async #leaseOf(id: string): Promise<unknown> {
    return (await this.#post('/api/v1/service-actions/claim', { types: [this.#runs.get(id)] })).lease;
  }

  async #post(path: string, body: JsonBody): Promise<JsonBody> {
    const reply = await this.#api.request<JsonBody>('POST', path, { token: this.#org.token, body });
    if (reply.status >= 300) throw new Error(`POST ${path} answered ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** A record that an operation leaves as a side effect. */
  async #makeBy(operationId: string, list: string): Promise<string> {
    await this.send(await this.scenario(operationId));
    const { body } = await this.#api.request<{ data: { id: string }[] }>('GET', list, { token: this.#org.token });
    return body.data[0]?.id ?? '';
  }

  /** The record that the path is about, its last parameter's, is fresh; those it belongs to are shared, or were made with it. */
  async #pathOf({ path, params }: Route): Promise<string> {
    const named = referencesIn(params);
    const last = path.slice(path.lastIndexOf('{') + 1, path.lastIndexOf('}'));
    const known: Readonly<Record<string, string>> = {
      app_code: this.#org.appCode,
      file: 'problems',
      ...(await this.#madeBelow(named.get(last), last)),
    };
    const fresh = async (record: string) => {
      if (path === '/api/v1/resources/{id}/move') return this.#makeResourceAlone();
      if (path.startsWith('/api/v1/service-actions/{id}/')) return this.#makeRun();
      const id = await this.make(record);
      const [, creation] = creatorOf(record) ?? [];
      // What is restored, or ended, was deleted before.
      if (path.endsWith('/restore') || path.startsWith('/api/v1/trash/'))
        await this.#api.request('DELETE', `${creation?.path}/${id}`, { token: this.#org.token });
      return id;
    };
    let filled = path;
    for (const parameter of Object.keys(params.shape)) {
      const record = named.get(parameter);
      if (record === undefined && known[parameter] === undefined) {
        throw new Error(`${path}: declare {${parameter}} with reference(), so that it is known which record it names`);
      }
      const id =
        known[parameter] ?? (record && (await (parameter === last ? fresh(record) : this.reference(record)))) ?? '';
      filled = filled.replace(`{${parameter}}`, id);
    }
    return filled;
  }

  /** The parameters of a path to a new record that is made below another one. */
  async #madeBelow(record: string | undefined, parameter: string): Promise<Readonly<Record<string, string>>> {
    const [operationId, route] = (record && creatorOf(record)) || [];
    if (operationId === undefined || !route?.path.includes('{')) return {};
    const scenario = await this.scenario(operationId);
    const { status, body } = await this.send(scenario);
    if (status !== 201) throw new Error(`making a ${record} answered ${status} ${JSON.stringify(body)}`);
    if (record === 'Attachment') await sendBytes(body as unknown as Announced);
    const ids = scenario.path.split('/');
    const above = route.path
      .split('/')
      .flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), ids[index]]] : []));
    return { ...Object.fromEntries(above), [parameter]: String(body.id) };
  }

  /** An upsert names a new record. */
  #queryOf({ upsert, query, response }: Route): string {
    if (upsert === undefined) return '';
    const { [upsert.by]: example } = response.example as JsonBody;
    return `?${upsert.by}=${freshValue(query, upsert.by, example, newSuffix())}`;
  }

  async #bodyOf(operationId: string, { schema }: Body, example: JsonBody, path: string): Promise<JsonBody> {
    if (operationId === 'verifyWebhookEndpoint')
      return { code: await challengeOf(this.#org.orgId, path.split('/').at(-2) ?? '', this.#api.table) };
    if (operationId === 'claimServiceAction') return { ...example, types: [this.#runs.get(await this.#makeRun())] };
    if ('lease' in example) return { ...example, lease: await this.#leaseOf(path.split('/').at(-2) ?? '') };
    // A ticket takes in a few others only.
    if (operationId === 'mergeTicket') return { into: await this.make('Ticket') };
    const { appCode, secret } = this.#org;
    if (operationId === 'login') return { app_code: appCode, secret };
    if (operationId === 'requestToken')
      return { grant_type: 'client_credentials', client_id: appCode, client_secret: secret };
    const suffix = newSuffix();
    if (operationId === 'runBatch') return withFreshKeys(example, suffix);
    const referred = referencesIn(schema);
    const unique = uniqueFieldsOf(schema);
    const fields = Object.entries(example).map(async ([field, value]): Promise<[string, unknown]> => {
      const record = referred.get(field);
      if (record !== undefined) return [field, await this.reference(record)];
      return [field, unique.has(field) ? freshValue(schema, field, value, suffix) : value];
    });
    const body = Object.fromEntries(await Promise.all(fields));
    // There is only one organization, and each change must be effective.
    if (path.endsWith('/move')) return { ...body, client_id: await this.make('Client') };
    return operationId === 'updateOrg' ? { ...body, name: `Name ${suffix}` } : body;
  }

  async #tokenFor(operationId: string, route: Route): Promise<string | undefined> {
    if (!route.auth.startsWith('bearer')) return undefined;
    return PLATFORM_ONLY.has(operationId) ? this.#api.platformToken() : this.#org.token;
  }

  #headersFor(route: Route, body: JsonBody | undefined): Record<string, string> {
    if (route.auth !== 'signature') return {};
    return { 'x-signature': sign(JSON.stringify(body), this.#org.secret), 'x-event-id': randomUUID() };
  }
}

interface Announced {
  readonly upload: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

/** Sends the bytes of the example, as a caller does. */
async function sendBytes({ upload: { url, headers } }: Announced): Promise<void> {
  const { status } = await fetch(url, { method: 'PUT', headers, body: 'hello' });
  if (status !== 200) throw new Error(`the upload answered ${status}`);
}

/** Without digits, and with letters that begin no other word: the words of a record, and so its write units, are the same each time. */
const newSuffix = (): string => {
  suffixes += 1;
  // A multiplication by an odd number: other digits each time, of which the first differ too.
  const hex = (Math.imul(suffixes, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
  return `x${hex}`.replaceAll(/\d/g, (digit) => LETTERS[Number(digit)] ?? '');
};
let suffixes = 0;
const LETTERS = 'ghjkmnpqtz';

/** A batch whose operations have not been carried out before. */
const withFreshKeys = (example: JsonBody, suffix: string): JsonBody => ({
  operations: (example.operations as JsonBody[]).map((each) => ({ ...each, key: `${each.key}-${suffix}` })),
});

/** The ids of a request's path as the event of its route has them. */
export function idsInEvent({ route, path }: Pick<Scenario, 'route' | 'path'>): JsonBody {
  const given = path.split(/[/?]/);
  const parameters = route.path
    .split('/')
    .flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), given[index]]] : []));
  return Object.fromEntries(
    parameters.map(([name, id], index) => [index === 0 ? (route.event?.idField ?? 'id') : name, id]),
  );
}
