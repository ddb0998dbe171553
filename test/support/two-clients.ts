import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyHandler } from 'aws-lambda';
import { type Route, referencesIn } from '#contract';
import { clientPermissionsText, type UserContext } from '#identity';
import { contracts } from '../../functions/all-contracts.ts';
import { loadFromSource } from '../../local/functions.ts';
import type { Api, JsonBody } from './api.ts';
import { userContext } from './caller.ts';
import { lambdaContext } from './lambda-context.ts';
import { proxyEventOf } from './proxy-event.ts';
import { creatorOf } from './relations.ts';
import { callsOf } from './tenant-calls.ts';

/** An organization with two clients that have records of the same kinds, and people who see one of them. */

/** Every operation, with the function that serves it. */
export const served = contracts.flatMap(({ name, routes, hiddenFromClients = [] }) =>
  Object.entries(routes).map(([id, route]: [string, Route]) => ({ id, name, route, hidden: hiddenFromClients })),
);
export type Served = (typeof served)[number];
export const operation = (id: string): Served => {
  const found = served.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
};

export interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: JsonBody & { readonly data?: JsonBody[]; readonly total?: number };
}

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends a request of a user to the handler of its function. */
export async function askAs(user: UserContext, { name, route }: Served, asked: Asked = {}): Promise<Said> {
  const handler = (await loadFromSource(name)) as unknown as APIGatewayProxyHandler;
  const { params = {}, ...rest } = asked;
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => params[parameter] ?? randomUUID());
  const event = proxyEventOf({ route, path, ...rest, caller: user });
  const response = await handler(event, lambdaContext(), () => undefined);
  if (!response) throw new Error(`${route.path}: no response`);
  const text = response.body;
  const body = text.startsWith('{') ? JSON.parse(text) : {};
  return { status: response.statusCode, headers: response.headers ?? {}, text, body };
}

/** Of all routes, but those of the platform. */
export const ALL_CODES = [...new Set(served.flatMap(({ route }) => route.permission ?? []))];

/** By client what somebody may do for it. */
export type Held = Readonly<Record<string, readonly string[]>>;

/** A user with permissions for single clients. */
export const personOf = (orgId: string, held: Held, context: Partial<UserContext> = {}): UserContext =>
  userContext(orgId, { client_permissions: clientPermissionsText(new Map(Object.entries(held))), ...context });

/** What a client has: its own id, and those of one record of each kind. */
export interface Holding {
  /** In every text of its records that takes it. */
  readonly mark: string;
  /** By the name of the record. */
  readonly ids: Readonly<Record<'Client' | 'Service' | 'Resource' | 'Terminal' | 'Ticket' | 'TicketMessage', string>>;
  /** The internal message of its ticket. */
  readonly internal: string;
  /** Its records as people of the whole organization read them, by name. */
  readonly records: Readonly<Record<string, JsonBody>>;
  /** What nobody else may see: ids and marks. */
  readonly own: readonly string[];
}

/** In what people of no client see, in the records of both. */
export const HIDDEN = 'zhidden';

/** The example of a creation with the mark in every text of its record that takes it, and in free-form fields. */
function marked(record: string, mark: string, given: JsonBody): JsonBody {
  const [, { body, response, bodyExample } = {} as Route] = creatorOf(record) ?? [];
  if (body === undefined) throw new Error(`nothing creates a ${record}`);
  const { hidden } = served.find(({ route }) => route.body === body) ?? { hidden: [] as readonly string[] };
  const example: JsonBody = { ...(response.example as JsonBody), ...bodyExample };
  const references = referencesIn(body.schema);
  const fields = Object.entries(body.schema.shape).flatMap(([field, schema]): [string, unknown][] => {
    const value = example[field];
    if (value === undefined || value === null || references.has(field)) return [];
    const text = hidden.includes(field) ? HIDDEN : mark;
    const candidates =
      typeof value === 'string' ? [`${value}${text}`, `${value} ${text}`, randomUUID()] : [[text], { [text]: text }];
    return [[field, candidates.find((each) => schema.safeParse(each).success) ?? value]];
  });
  return { ...Object.fromEntries(fields), ...given };
}

/** Makes a client with a record of each kind. */
export async function holding(api: Api, token: string, mark: string): Promise<Holding> {
  const { create, read } = callsOf(api, token);
  const make = async (record: string, path: string, given: JsonBody = {}) =>
    (await create(path, marked(record, mark, given))).id;
  const Client = await make('Client', '/api/v1/clients', { org_id: undefined });
  const client_id = Client;
  const Service = await make('Service', '/api/v1/services', { client_id });
  const of = { client_id, service_id: Service };
  const Resource = await make('Resource', '/api/v1/resources', of);
  const Terminal = await make('Terminal', '/api/v1/terminals', { client_id });
  const names = { ...of, resource_id: Resource, terminal_id: Terminal };
  const Ticket = await make('Ticket', '/api/v1/tickets', { ...names, tags: [mark] });
  const messages = `/api/v1/tickets/${Ticket}/messages`;
  const TicketMessage = await make('TicketMessage', messages, { author_type: 'customer' });
  const internal = await make('TicketMessage', messages, { is_internal: true, message: `internal ${HIDDEN}` });
  const other = await make('Ticket', '/api/v1/tickets', { ...names, ticket_code: undefined, external_id: undefined });
  await create(`/api/v1/tickets/${other}/messages`, marked('TicketMessage', mark, {}));
  const { status } = await callsOf(api, token).ask('POST', `/api/v1/tickets/${other}/merge`, { into: Ticket });
  if (status !== 200) throw new Error(`merging answered ${status}`);
  await create('/api/v1/maintenance-windows', { ...WINDOW, client_id, note: mark });
  await create('/api/v1/service-actions', marked('ServiceAction', mark, { service_id: Service }));
  const ids = { Client, Service, Resource, Terminal, Ticket, TicketMessage };
  const records: Record<string, JsonBody> = {};
  for (const [record, path] of [
    ['Client', 'clients'],
    ['Service', 'services'],
    ['Resource', 'resources'],
    ['Terminal', 'terminals'],
    ['Ticket', 'tickets'],
  ] as const)
    records[record] = await read(`/api/v1/${path}/${ids[record]}`);
  return { mark, ids, internal, records, own: [mark, ...Object.values(ids), internal, other] };
}

const WINDOW = { from: '2020-01-01T00:00:00.000Z', to: '2020-01-02T00:00:00.000Z' };
