import type * as z from 'zod';
import { type Contract, filtersOf, type Route, referencesIn, takesHeader, uniqueFieldsOf } from '#contract';

/**
 * A request with the example of an operation, for `clients/` and for samples. It uses variables, written as
 * `{{name}}`: those of {@link GIVEN}, those that earlier requests set, and what Postman and the tools for `.http` files
 * know, `{{$guid}}` (a new UUID) and `{{$timestamp}}` (seconds since 1970).
 */
export interface ExampleRequest {
  /** That of the operation, or another one where the operation is called a second time. Unique. */
  readonly id: string;
  readonly operationId: string;
  /** That of the contract, or `Preparation`. */
  readonly tag: string;
  readonly title: string;
  readonly method: string;
  /** From `/api/v1` on, with its query. */
  readonly path: string;
  readonly filters: readonly string[];
  readonly auth: 'bearer' | 'signature' | 'none';
  /** The variable with the token, where `auth` is `bearer`. */
  readonly token: 'token' | 'platform_token';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The variables that must be set before: ids of records, tokens, what is given. */
  readonly needs: readonly string[];
  /** Whether no program can send it as it is. */
  readonly isByHand: boolean;
  /** Variables that are set from its response, by paths into the body: `data[0].id`. */
  readonly leaves: Readonly<Record<string, string>>;
}

/**
 * Variables that the caller sets. Who has no key of the platform leaves out the preparations, and sets `app_code` and
 * `secret` of an organization.
 */
export const GIVEN: Readonly<Record<string, string>> = {
  base_url: 'http://127.0.0.1:3000',
  platform_app_code: 'platform',
  platform_secret: 'cst_…',
};

/** The tag of the requests with the platform's key: they create the organization that all others use. */
const PREPARATION = 'Preparation';

/** What the contract does not say about a request. */
interface Given extends Partial<Pick<ExampleRequest, 'id' | 'tag' | 'title' | 'token' | 'leaves'>> {
  /** Fields besides those of the operation's example, or in their place. */
  readonly body?: object;
}

const PREPARATIONS: readonly (readonly [operationId: string, given: Given])[] = [
  [
    'login',
    {
      id: 'loginAsPlatform',
      title: 'Log in as the platform',
      body: { app_code: '{{platform_app_code}}', secret: '{{platform_secret}}' },
      leaves: { platform_token: 'access_token' },
    },
  ],
  ['createOrg', { leaves: { new_organization_id: 'id' } }],
  ['listOrgs', {}],
  [
    'createIntegration',
    {
      id: 'createFirstIntegration',
      title: 'Register the first integration of the organization',
      body: { org_id: '{{new_organization_id}}' },
      leaves: { app_code: 'app_code', secret: 'secret' },
    },
  ],
];

const GIVEN_FOR: Readonly<Record<string, Given>> = {
  login: { body: { app_code: '{{app_code}}', secret: '{{secret}}' }, leaves: { token: 'access_token' } },
  requestToken: { body: { client_id: '{{app_code}}', client_secret: '{{secret}}' } },
  createClient: { leaves: { client_id: 'id', organization_id: 'org_id' } },
  createIdentityProvider: { body: { issuer: 'https://login.acme.example/n{{$timestamp}}-tenant' } },
  upsertUser: { body: { email: 'rui-{{$timestamp}}@acme.example' } },
  listWebhookEvents: { leaves: { webhook_event_id: 'data[0].id' } },
  listAuditEvents: { leaves: { audit_event_id: 'data[0].id' } },
};

/**
 * Operations that a person has to fill in: with what only a receiver of webhooks or a runner has got, with a second
 * ticket, or after an upload.
 */
const BY_HAND: readonly string[] = [
  ...['verifyWebhookEndpoint', 'mergeTicket', 'completeAttachment'],
  ...['extendServiceAction', 'finishServiceAction', 'cancelServiceAction'],
];

interface Operation {
  readonly operationId: string;
  readonly contract: Contract;
  readonly route: Route;
}

/**
 * Every operation at least once, in an order in which all can be sent: first the preparations, then each creation
 * before what uses its record, and last the deletions, children before their parents. It can be sent again: values
 * that must be unique contain the time, and only what it created is deleted.
 *
 * @example for (const { method, path, body } of exampleRequestsOf(contracts)) await send(method, path, body);
 * @throws Error where no request sets a variable that another one needs
 */
export function exampleRequestsOf(contracts: readonly Contract[]): readonly ExampleRequest[] {
  const operations = contracts.flatMap((contract) =>
    Object.entries(contract.routes).map(([operationId, route]): Operation => ({ operationId, contract, route })),
  );
  const prepared = PREPARATIONS.flatMap(([id, given]) =>
    operations
      .filter(({ operationId }) => operationId === id)
      .map((operation) => requestFor(operation, { tag: PREPARATION, token: 'platform_token', ...given })),
  );
  const isPrepared = new Set(prepared.map(({ id }) => id));
  const others = operations
    .filter(({ operationId }) => !isPrepared.has(operationId))
    .map((operation) => requestFor(operation, GIVEN_FOR[operation.operationId]));
  const isDeletion = ({ method }: ExampleRequest): boolean => method === 'DELETE';
  const sorted = sendable([...prepared, ...others.filter((request) => !isDeletion(request))]);
  return needed([...sorted, ...lastCreatedFirst(others.filter(isDeletion), sorted)]);
}

/** Children need the ids of their parents, so they are created after them. */
function lastCreatedFirst(deletions: readonly ExampleRequest[], others: readonly ExampleRequest[]): ExampleRequest[] {
  const created = ({ needs }: ExampleRequest): number =>
    others.findLastIndex(({ leaves }) => Object.keys(leaves).some((name) => name !== 'token' && needs.includes(name)));
  return deletions.toSorted((a, b) => created(b) - created(a));
}

/** Leaves out variables that no request uses, or that an earlier one has set. */
function needed(requests: readonly ExampleRequest[]): ExampleRequest[] {
  const wanted = new Set(requests.flatMap(({ needs }) => needs));
  return requests.map((request) => ({
    ...request,
    leaves: Object.fromEntries(Object.entries(request.leaves).filter(([name]) => wanted.delete(name))),
  }));
}

/** The same requests, sorted so that each comes after those whose variables it needs. */
function sendable(requests: readonly ExampleRequest[]): ExampleRequest[] {
  const known = new Set(Object.keys(GIVEN));
  const ordered: ExampleRequest[] = [];
  let waiting = requests;
  while (waiting.length > 0) {
    const next = waiting.find(({ needs }) => needs.every((name) => known.has(name)));
    if (next === undefined) throw new Error(`nothing leaves what ${waiting.map(({ id }) => id)} need`);
    for (const name of Object.keys(next.leaves)) known.add(name);
    ordered.push(next);
    waiting = waiting.filter((request) => request !== next);
  }
  return ordered;
}

function requestFor({ operationId, contract, route }: Operation, given: Given = {}): ExampleRequest {
  const { token = 'token', body: fields, ...others } = given;
  const auth = route.auth.startsWith('bearer') ? 'bearer' : route.auth === 'signature' ? 'signature' : 'none';
  const creates = route.method === 'POST' ? /^(\w+)Create$/.exec(route.body?.name ?? '')?.[1] : undefined;
  const path = `${pathOf(route)}${queryOf(route)}`;
  const example = bodyOf(route);
  const body = fields === undefined ? example : { ...example, ...fields };
  return {
    id: operationId,
    operationId,
    tag: contract.tag,
    title: route.summary,
    method: route.method,
    path,
    filters: filtersOf(route),
    auth,
    token,
    headers: {
      ...(takesHeader(route, 'Idempotency-Key') ? { 'Idempotency-Key': '{{$guid}}' } : {}),
      ...(auth === 'signature' ? { 'X-Event-ID': '{{$guid}}' } : {}),
    },
    body,
    isByHand: BY_HAND.includes(operationId),
    needs: [
      ...new Set(variablesIn(`${path}${JSON.stringify(body)}`)),
      ...(auth === 'bearer' ? [token] : auth === 'signature' ? ['secret'] : []),
    ],
    leaves: creates === undefined ? {} : { [variableFor(creates)]: 'id' },
    ...others,
  };
}

/** Without the tools' own variables, such as `{{$guid}}`. */
const variablesIn = (text: string): string[] => Array.from(text.matchAll(/\{\{(\w+)\}\}/g), ([, name = '']) => name);

/** A parameter that names no record has its example, if it has one. */
const pathOf = ({ path, params }: Route): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const record = referencesIn(params).get(name);
    const example = (params.shape as Readonly<Record<string, z.ZodType>>)[name]?.meta()?.example;
    return record === undefined && example !== undefined
      ? String(example)
      : `{{${record === undefined ? name : variableFor(record)}}}`;
  });

/** A page of a list; of an upsert a new record, as of a creation. */
function queryOf({ response, query, upsert }: Route): string {
  if (upsert !== undefined)
    return `?${upsert.by}=${NEW}${(response.example as Readonly<Record<string, unknown>>)[upsert.by]}`;
  return response.isList && 'page_size' in query.shape ? '?page_size=25' : '';
}

/** Before a value that must be unique. */
export const NEW = 'n{{$timestamp}}-';

/** The example with ids of existing records, and with new values where they must be unique. */
function bodyOf({ body, bodyExample }: Route): object | undefined {
  if (body === undefined || bodyExample === undefined) return undefined;
  const referred = referencesIn(body.schema);
  const unique = uniqueFieldsOf(body.schema);
  const fields = Object.entries(bodyExample).map(([field, value]) => {
    const record = referred.get(field);
    if (record !== undefined) return [field, `{{${variableFor(record)}}}`];
    return [field, unique.has(field) ? `${NEW}${value}` : value];
  });
  return Object.fromEntries(fields);
}

/** `ServiceAction` is `service_action_id`. */
const variableFor = (record: string): string =>
  `${record.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()}_id`;
