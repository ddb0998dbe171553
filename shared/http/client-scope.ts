import { type Contract, filteredField, invalidField, Problem, pointer, type Route, referencesIn } from '#contract';
import type { Caller } from '#identity';
import { asNumber, type Parsed } from '#json';
import { isObject, isUuid } from '../well-formed.ts';
import type { OperationResponse } from './operation.ts';
import { noSuchRecord } from './problems.ts';
import type { HttpRequest } from './request/http-request.ts';

/**
 * Requests that see some clients only (`docs/security.md`): what they may say, and what their responses show. That
 * other clients' records are not there is the work of the tenant handle (`#table`).
 */

type Clients = NonNullable<Caller['clients']>;
type Fields = Readonly<Record<string, unknown>>;
type Matched = { readonly route: Route; readonly contract: Pick<Contract, 'hiddenFromClients'> };

/**
 * The body of such a request, of one of its clients.
 * @throws Problem `forbidden` for what is hidden from it, and for names; `invalid-body`, `reference-not-found`
 */
export function withinClients(
  matched: Matched,
  clients: Clients,
  { query }: Pick<HttpRequest, 'query'>,
  json: Parsed | undefined,
): Parsed | undefined {
  const { route } = matched;
  const asked = Object.entries(query).flatMap(([name, given]) => fieldsAsked(route, name, given));
  refuse('query', asked, (field) => isHidden(matched, field));
  const body = asNumber(json?.value);
  if (json === undefined || route.body === undefined || !isObject(body)) return json;
  const { schema, readOnlyFields } = route.body;
  const isKnown = (name: string): boolean => name in schema.shape || name in readOnlyFields;
  const isKept = (name: string): boolean => isHidden(matched, name) || NAMES.includes(name);
  const given = Object.entries(body).filter(([name, value]) => value !== null || !isKept(name) || !isKnown(name));
  const sent = given.map(([field]) => ({ name: field, field }));
  // A change may repeat the names of its record ({@link checkNames}).
  refuse('body', sent, route.method === 'PATCH' ? (name) => isHidden(matched, name) : isKept);
  const fields = Object.fromEntries(given);
  for (const field of referencesIn(schema).keys()) {
    if (typeof asNumber(fields[field]) === 'object' && fields[field] !== null)
      throw invalidField(field, 'must be an id: people of a client name no records by other names');
  }
  return { ...json, value: 'client_id' in schema.shape ? pinned(route, clients, fields) : fields };
}

/** Checks that a change gives its record no other name. @throws Problem `forbidden` */
export function checkNames(body: Fields = {}, record: object): void {
  const names = NAMES.filter((name) => Object.hasOwn(body, name)).map((name) => ({ name, field: name }));
  refuse('body', names, (name) => body[name] !== (record as Fields)[name]);
}

interface Asked {
  /** The name of a parameter, or of a field of the body. */
  readonly name: string;
  readonly field: string;
}

/** The fields of records that a parameter filters or sorts by. */
const fieldsAsked = (route: Route, name: string, given: readonly string[]): Asked[] =>
  name === 'sort'
    ? given.flatMap((keys) => keys.split(',').map((key) => ({ name, field: key.replace(/^-/, '') })))
    : [{ name, field: filteredField(route, name) }];

const isHidden = ({ contract }: Matched, field: string): boolean =>
  contract.hiddenFromClients?.includes(field) ?? false;

/** By which other systems find a record to change: with another client's name it would get what is for that one. */
const NAMES: readonly string[] = ['external_id', 'slug', 'ticket_code'];

/** Also what filters or sorts reveals values. */
function refuse(part: 'query' | 'body', asked: readonly Asked[], isRefused: (field: string) => boolean): void {
  const refused = asked.filter(({ field }) => isRefused(field));
  if (refused.length === 0) return;
  const detail = 'is for people of the whole organization';
  throw new Problem('forbidden', {
    detail: `People of a client do not give ${refused.map(({ field }) => field).join(', ')}.`,
    errors: refused.map(({ name }) => ({ in: part, pointer: pointer([name]), detail })),
  });
}

/** A body whose record is of one of the clients: of the only one, where it names none. */
function pinned({ method }: Route, clients: Clients, body: Fields): Fields {
  const { client_id } = body;
  const [only, ...others] = clients;
  if (client_id === undefined && method !== 'POST') return body;
  if (client_id === undefined && others.length === 0) return { ...body, client_id: only };
  if (client_id === undefined || client_id === null) throw invalidField('client_id', 'must name a client');
  // The same for one that does not exist.
  if (typeof client_id === 'string' && isUuid(client_id) && !clients.includes(client_id.toLowerCase()))
    throw noSuchRecord('client_id')();
  return body;
}

/** What an operation returns, a record or a page, without what is hidden from such a request. */
export function withoutHidden({ contract }: Matched, { text: _, ...reply }: OperationResponse): OperationResponse {
  const { hiddenFromClients: hidden = [] } = contract;
  const hide = (record: Fields): Fields => ({
    ...record,
    ...Object.fromEntries(hidden.filter((field) => record[field] !== undefined).map((field) => [field, null])),
  });
  const body = reply.body as Fields & { readonly data?: readonly Fields[] };
  return { ...reply, body: body.data === undefined ? hide(body) : { ...body, data: body.data.map(hide) } };
}
