import type * as z from 'zod';
import type { Contract, Route } from '#contract';
import { filtersOf, referencesIn, takesHeader, uniqueFieldsOf } from '#contract/derived';

/**
 * One request for every operation, with its example, in an order in which they can be sent one after the other: an
 * earlier request stores what a later one needs in a variable, which all supported tools write as `{{name}}`.
 */
export interface CollectionRequest {
  readonly operationId: string;
  readonly tag: string;
  readonly title: string;
  readonly method: string;
  /** The path from `/api/v1` on, with its query. */
  readonly path: string;
  readonly filters: readonly string[];
  readonly auth: 'bearer' | 'signature' | 'none';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Variables that are set from its response, by paths into the body: `data[0].id`. */
  readonly leaves: Readonly<Record<string, string>>;
}

/** Variables that the caller sets. */
export const GIVEN: Readonly<Record<string, string>> = {
  base_url: 'http://127.0.0.1:3000',
  app_code: 'acme-billing',
  secret: 'cst_…',
};

/** Values that no operation creates, and where to find them. */
const FOUND_IN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  login: { token: 'access_token' },
  createClient: { organization_id: 'org_id' },
  listWebhookEvents: { webhook_event_id: 'data[0].id' },
  listAuditEvents: { audit_event_id: 'data[0].id' },
};

export function collectionRequestsOf(contracts: readonly Contract[]): readonly CollectionRequest[] {
  const all = contracts.flatMap((contract) =>
    Object.entries(contract.routes).map(([id, route]) => requestFor(contract, id, route)),
  );
  const isDeletion = ({ method }: CollectionRequest): boolean => method === 'DELETE';
  return needed([...sendable(all.filter((request) => !isDeletion(request))), ...all.filter(isDeletion).toReversed()]);
}

/** Leaves out variables that no request uses, or that an earlier one has set. */
function needed(requests: readonly CollectionRequest[]): CollectionRequest[] {
  const wanted = new Set(requests.flatMap(variablesIn));
  return requests.map((request) => ({
    ...request,
    leaves: Object.fromEntries(Object.entries(request.leaves).filter(([name]) => wanted.delete(name))),
  }));
}

/**
 * The same requests, sorted so that each comes after those whose variables it needs.
 * @throws Error where no request sets a variable that another one needs
 */
function sendable(requests: readonly CollectionRequest[]): CollectionRequest[] {
  const known = new Set(Object.keys(GIVEN));
  const ordered: CollectionRequest[] = [];
  let waiting = requests;
  while (waiting.length > 0) {
    const next = waiting.find((request) => variablesIn(request).every((name) => known.has(name)));
    if (next === undefined) throw new Error(`nothing leaves what ${waiting.map((each) => each.operationId)} need`);
    for (const name of Object.keys(next.leaves)) known.add(name);
    ordered.push(next);
    waiting = waiting.filter((request) => request !== next);
  }
  return ordered;
}

/** Without the tools' own variables, such as `{{$guid}}`. */
const variablesIn = ({ path, body, auth }: CollectionRequest): string[] => [
  ...Array.from(`${path}${JSON.stringify(body)}`.matchAll(/\{\{(\w+)\}\}/g), ([, name = '']) => name),
  ...(auth === 'bearer' ? ['token'] : []),
];

function requestFor(contract: Contract, operationId: string, route: Route): CollectionRequest {
  const auth = route.auth.startsWith('bearer') ? 'bearer' : route.auth === 'signature' ? 'signature' : 'none';
  const created = route.method === 'POST' ? /^(\w+)Create$/.exec(route.body?.name ?? '')?.[1] : undefined;
  return {
    operationId,
    tag: contract.tag,
    title: route.summary,
    method: route.method,
    path: `${pathOf(route)}${route.response.isList && 'page_size' in route.query.shape ? '?page_size=25' : ''}`,
    filters: filtersOf(route),
    auth,
    headers: {
      ...(takesHeader(route, 'Idempotency-Key') ? { 'Idempotency-Key': '{{$guid}}' } : {}),
      ...(auth === 'signature' ? { 'X-Event-ID': '{{$guid}}' } : {}),
    },
    body: operationId === 'login' ? { app_code: '{{app_code}}', secret: '{{secret}}' } : bodyOf(route),
    leaves: { ...(created === undefined ? {} : { [variableFor(created)]: 'id' }), ...FOUND_IN[operationId] },
  };
}

/** A parameter that names no record has its example, if it has one. */
const pathOf = ({ path, params }: Route): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const record = referencesIn(params).get(name);
    const example = (params.shape as Readonly<Record<string, z.ZodType>>)[name]?.meta()?.example;
    return record === undefined && example !== undefined
      ? String(example)
      : `{{${record === undefined ? name : variableFor(record)}}}`;
  });

/** The example with ids of existing records, and with new values where they must be unique. */
function bodyOf({ body, bodyExample }: Route): unknown {
  if (body === undefined || bodyExample === undefined) return undefined;
  const referred = referencesIn(body.schema);
  const unique = uniqueFieldsOf(body.schema);
  const fields = Object.entries(bodyExample).map(([field, value]) => {
    const record = referred.get(field);
    if (record !== undefined) return [field, `{{${variableFor(record)}}}`];
    return [field, unique.has(field) ? `n{{$timestamp}}-${value}` : value];
  });
  return Object.fromEntries(fields);
}

/** `ServiceAction` is `service_action_id`. */
const variableFor = (record: string): string =>
  `${record.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()}_id`;
