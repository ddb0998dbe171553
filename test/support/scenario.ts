import { randomUUID } from 'node:crypto';
import { contracts } from '../../functions/all-contracts.ts';
import { sign } from '../../functions/webhooks/signature.ts';
import type { Route } from '../../shared/contract/route.ts';
import type { Api, JsonBody, OrgAccess } from './api.ts';

/**
 * A valid request for every operation, made from the contracts: the body is the route's own example with references to records
 * that exist and unique values of its own, the path's ids are those of records made for it. A new route has its scenario without
 * anyone writing one.
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

/** Where the records are created that a field or a path parameter names. */
export const REFERENCES: Readonly<Record<string, string>> = {
  client_id: '/api/v1/clients',
  service_id: '/api/v1/services',
  resource_id: '/api/v1/resources',
  terminal_id: '/api/v1/terminals',
  role_id: '/api/v1/roles',
  user_id: '/api/v1/users',
};

/** Records whose path is not the one they are created at. */
const CREATED_AT: Readonly<Record<string, string>> = { '/api/v1/memberships': '/api/v1/users/memberships' };

/** Fields whose value may be used once. */
export const UNIQUE: Readonly<Record<string, (suffix: string) => string>> = {
  name: (suffix) => `Name ${suffix}`,
  slug: (suffix) => `slug-${suffix}`,
  code: (suffix) => `code-${suffix}`,
  app_code: (suffix) => `app-${suffix}`,
  email: (suffix) => `${suffix}@acme.example`,
};

/** A tenant in which scenarios are played. */
export class World {
  readonly #api: Pick<Api, 'request' | 'platformToken'>;
  readonly #org: OrgAccess;
  readonly #made = new Map<string, Promise<string>>();

  constructor(api: Pick<Api, 'request' | 'platformToken'>, org: OrgAccess) {
    this.#api = api;
    this.#org = org;
  }

  /** A request that would succeed. Its path's records are fresh, its references are shared within this world. */
  async scenario(operationId: string): Promise<Scenario> {
    const route = operations.find(([id]) => id === operationId)?.[1];
    if (route === undefined) throw new Error(`no operation ${operationId}`);
    const path = await this.#pathOf(route);
    const body = route.bodyExample === undefined ? undefined : await this.#bodyOf(operationId, route.bodyExample);
    return {
      operationId,
      route,
      path,
      body,
      token: await this.#tokenFor(route),
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

  /** The id of a record made at a collection's path, the same at every call. */
  reference(collection: string): Promise<string> {
    const known = this.#made.get(collection);
    if (known !== undefined) return known;
    const made = this.make(collection);
    this.#made.set(collection, made);
    return made;
  }

  /** Makes a record and gives its id. */
  async make(collection: string): Promise<string> {
    if (collection === '/api/v1/orgs') return this.#org.orgId;
    if (collection === '/api/v1/webhook-events') return this.#makeBy('receiveWebhook', collection);
    if (collection === '/api/v1/audit-events') return this.#makeBy('createRole', collection);
    const path = CREATED_AT[collection] ?? collection;
    const [operationId] = operations.find(([, route]) => route.method === 'POST' && route.path === path) ?? [];
    if (operationId === undefined) throw new Error(`nothing creates ${collection}`);
    const { status, body } = await this.send(await this.scenario(operationId));
    if (status !== 201) throw new Error(`making ${collection} answered ${status} ${JSON.stringify(body)}`);
    return String(body.id);
  }

  /** A record that an operation leaves besides what it is for. */
  async #makeBy(operationId: string, collection: string): Promise<string> {
    await this.send(await this.scenario(operationId));
    const { body } = await this.#api.request<{ data: { id: string }[] }>('GET', collection, { token: this.#org.token });
    return body.data[0]?.id ?? '';
  }

  async #pathOf(route: Route): Promise<string> {
    let path = route.path;
    for (const parameter of Object.keys(route.params.shape)) {
      const collection = REFERENCES[parameter] ?? path.slice(0, path.indexOf(`/{${parameter}}`));
      const id = parameter === 'app_code' ? this.#org.appCode : await this.#idFor(route, parameter, collection);
      path = path.replace(`{${parameter}}`, id);
    }
    return path;
  }

  /** The client and the service of `/services/client/{client_id}/{id}` belong together. */
  #idFor(route: Route, parameter: string, collection: string): Promise<string> {
    if (REFERENCES[parameter] !== undefined) return this.reference(collection);
    return this.make(route.path.includes('/client/{client_id}/') ? '/api/v1/services' : collection);
  }

  async #bodyOf(operationId: string, example: JsonBody): Promise<JsonBody> {
    const suffix = randomUUID().slice(0, 13);
    const fields = Object.entries(example).map(async ([field, value]): Promise<[string, unknown]> => {
      const collection = REFERENCES[field];
      if (collection !== undefined) return [field, await this.reference(collection)];
      return [field, UNIQUE[field]?.(suffix) ?? value];
    });
    const body = Object.fromEntries(await Promise.all(fields));
    return operationId === 'login' ? { app_code: this.#org.appCode, secret: this.#org.secret } : body;
  }

  async #tokenFor(route: Route): Promise<string | undefined> {
    if (!route.auth.startsWith('bearer')) return undefined;
    return PLATFORM_ONLY.has(`${route.method} ${route.path}`) ? this.#api.platformToken() : this.#org.token;
  }

  #headersFor(route: Route, body: JsonBody | undefined): Record<string, string> {
    if (route.auth !== 'signature') return {};
    return { 'x-signature': sign(JSON.stringify(body), this.#org.secret), 'x-event-id': randomUUID() };
  }
}

const PLATFORM_ONLY = new Set(['GET /api/v1/orgs', 'POST /api/v1/orgs']);
