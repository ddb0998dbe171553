import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { changesNamedRecord, invalidField, Problem, type Route, takesHeader } from '#contract';
import type { Caller } from '#identity';
import { type Repository, type RequestSession, type Stored, Tenant } from '#table';
import { annotate } from '#telemetry';
import { readSuspension, type Suspension } from '#tenancy';
import { keepNewest } from '../../memory.ts';
import { isObject, isUuid } from '../../well-formed.ts';
import { checkNames } from '../client-scope.ts';
import type { MaybeBatched, OperationContext } from '../operation.ts';
import { noRecord } from '../problems.ts';
import { type BatchRequest, preferenceOf } from '../request/http-request.ts';
import { checkReadOnlyFields, readOnlyFieldsIn } from '../request/validate.ts';
import { checkIfMatch, checkIfNoneMatch } from '../response.ts';
import type { Authenticated, Budgeted } from './caller.ts';
import type { Validated, WithJson } from './input.ts';
import type { InSession, Middleware, Routed } from './routing.ts';

/** Finds the tenant of a request, and whether it is served. */

export interface TenantScoped {
  /** What an operation gets besides its input. */
  scope: OperationContext;
}

type Scoped = Routed & InSession & Authenticated & Budgeted & WithJson & Validated & TenantScoped;

/**
 * Finds the tenant of a `bearer` route. Operations of other routes find it themselves.
 * @throws Problem `forbidden`, `not-found`, `reference-not-found` or `invalid-body`
 */
export const tenantScoped = (): Middleware<Scoped> => ({
  before: async ({ event, context }) => {
    const { matched, request, session, caller, budget, json, input } = event;
    if (caller === undefined || matched.route.auth !== 'bearer') {
      const charge = budget.charge.bind(budget);
      event.scope = { session, caller, charge, request };
      return;
    }
    const named = caller.orgId === null ? namedOrganization(json?.value) : input.body;
    const tenant = await tenantOf(caller, session, input.query, named);
    annotate({ tenant: tenant.id });
    const requireBudget = () => {
      session.contention.giveUpEarly();
      budget.require();
    };
    const readLimits = () => budget.readLimits();
    const scope = { session, caller, tenant, getOrThrow: getterFor(event, tenant), requireBudget, readLimits };
    const sendsNone = matched.route.batch === undefined && matched.route.rpc === undefined;
    event.scope = sendsNone ? scope : { ...scope, batchRequest: batchRequestOf(event, context) };
  },
});

const batchRequestOf = (event: APIGatewayProxyEvent & Scoped, context: Context): BatchRequest => ({
  event,
  request: event.request,
  context,
  isNdjson: event.lineNumbers !== undefined,
  wantsRecords: preferenceOf(event.request, 'return') === 'representation',
});

/** A platform caller easily forgets to name the organization, and then looks among the platform's own records. */
const hintFor = ({ query }: Route, { orgId }: Tenant): string =>
  orgId === null && 'org_id' in query.shape ? ' A platform caller names the organization with ?org_id=.' : '';

type Received = Omit<Scoped, keyof TenantScoped>;

/**
 * What a request says of fields that an existing record keeps. An upsert can set more of them than a change, for a new
 * record.
 */
function keptFieldsOf({ matched: { route }, json, isLenient, readOnlyFields }: Received) {
  const { method, body, upsert } = route;
  if (upsert === undefined) return { method, body, sent: method === 'PATCH' ? readOnlyFields : {} };
  const sent = json === undefined || isLenient ? {} : readOnlyFieldsIn(upsert.patch, json.value);
  return { method: 'PATCH', body: upsert.patch, sent } as const;
}

const getterFor = (received: Received, tenant: Tenant) => {
  const { request, matched, session } = received;
  const { route } = matched;
  const kept = keptFieldsOf(received);
  return async <T extends object>(
    records: Repository<T>,
    id: string,
    show: (record: T) => object | Promise<object> = (record) => record,
  ): Promise<Stored<T>> => {
    const stored = await records.get(id);
    if (stored === undefined) throw noRecord(records.entity, hintFor(route, tenant));
    if (changesNamedRecord(route)) session.contention.name({ key: records.keyOf(id), id });
    if (takesHeader(route, 'If-Match')) {
      checkIfMatch(request, stored.version);
      checkIfNoneMatch(request, stored.version);
    }
    if (tenant.clients !== null) checkNames(received.input.body, stored.record);
    if (Object.keys(kept.sent).length > 0) checkReadOnlyFields(kept, kept.sent, await show(stored.record));
    return stored;
  };
};

/**
 * The tenant of a request: the caller's own, or the organization named by `org_id` in the query or the body. A caller
 * of an organization may name only its own; a platform caller may name any that exists.
 * @throws Problem `forbidden`, `not-found` (query), `reference-not-found` or `invalid-body` (body)
 */
export async function tenantOf(
  caller: Caller,
  session: RequestSession,
  query: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>> | undefined,
): Promise<Tenant> {
  const names = [nameIn('query', query), nameIn('body', body ?? {})].filter((name) => name !== undefined);
  const [named, second] = names;
  if (named === undefined) return Tenant.of(caller, session);

  const refused = names.find(({ orgId }) => Tenant.named(orgId, caller, session) === undefined);
  const tenant = Tenant.named(named.orgId, caller, session);
  if (refused !== undefined || tenant === undefined) {
    const { part } = refused ?? named;
    throw new Problem('forbidden', {
      detail: 'org_id names another organization than that of the token.',
      errors: [fieldError(part, 'must be the organization of the caller')],
    });
  }
  if (second !== undefined && second.orgId !== named.orgId) {
    throw new Problem('invalid-body', { errors: [fieldError('body', 'names another organization than the query')] });
  }
  if (caller.orgId === null && !(await tenant.exists())) {
    throw new Problem(named.part === 'query' ? 'not-found' : 'reference-not-found', {
      detail: 'org_id names an organization that does not exist.',
      errors: [fieldError(named.part, 'names an organization that does not exist')],
    });
  }
  return tenant;
}

/** The organization named in a body, also where `org_id` is read-only and a whole record was sent back. */
export function namedOrganization(json: unknown): { readonly org_id?: string } {
  const orgId = isObject(json) ? json.org_id : undefined;
  return typeof orgId === 'string' && isUuid(orgId) ? { org_id: orgId.toLowerCase() } : {};
}

type Part = 'query' | 'body';

const nameIn = (part: Part, fields: Readonly<Record<string, unknown>>): { part: Part; orgId: string } | undefined =>
  typeof fields.org_id === 'string' ? { part, orgId: fields.org_id } : undefined;

const fieldError = (part: Part, detail: string): Problem['errors'][number] => ({
  in: part,
  pointer: '#/org_id',
  detail,
});

/**
 * For kinds of records that the platform may own: checks that a platform caller names the owner of a new record. The
 * owner is the organization named in query or body, or the platform for `org_id: null` in the body. So a forgotten
 * field does not accidentally create a record of the platform.
 * @throws Problem `invalid-body`
 */
export function requireNamedOwner(
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
  body: { readonly org_id?: string | null | undefined },
): void {
  if (caller.orgId !== null) return;
  const isInQuery = query.org_id !== undefined;
  if (body.org_id === undefined && !isInQuery) {
    throw invalidField('org_id', 'is required of a platform caller: an organization, or null for the platform');
  }
  if (body.org_id === null && isInQuery)
    throw invalidField('org_id', 'names the platform, and the query an organization');
}

/**
 * The organization that a record of this tenant belongs to.
 * @throws Problem `invalid-body` when a platform caller has named none
 */
export function organizationOf(tenant: Tenant): string {
  if (tenant.orgId === null) throw invalidField('org_id', 'is required of a platform caller');
  return tenant.orgId;
}

export interface SuspensionChecked {
  /** Rejects with Problem `organization-suspended`. Awaited by the handler, in parallel to the operation. */
  suspensionCheck: Promise<void>;
}

/**
 * Begins the suspension check, which refuses callers of suspended organizations at once, although the gateway caches
 * the authorizer's response: each request reads the suspension of its caller's organization, in parallel to its own
 * work (`docs/decisions/0096-suspending-exporting-erasing.md`). A batched request has it from its batch. Platform and
 * anonymous callers are not checked.
 * @throws Problem `organization-suspended` for a caller whose last request was refused for the same reason, or whose
 *   request is a batch or of alerts: the effects could not be taken back
 */
export const notSuspended = (): Middleware<Scoped & SuspensionChecked & MaybeBatched> => ({
  before: async ({ event }) => {
    const tenant = event.caller && Tenant.of(event.caller, event.session);
    event.suspensionCheck = event.batched?.suspensionCheck ?? (tenant && requireActive(tenant)) ?? Promise.resolve();
    event.suspensionCheck.catch(() => undefined);
    // A tenant that this container has recently refused waits first: such a call takes one read, and no numbers.
    const { batch, rpc, verifiesCaller } = event.matched.route;
    const isSender = batch !== undefined || rpc !== undefined || verifiesCaller;
    const isWaitedFor = isSender || (tenant !== undefined && refused.has(tenant.id));
    if (isWaitedFor) await event.suspensionCheck;
  },
  // Lambda stops a function once it has responded: no call of AWS may be under way then.
  onError: async ({ event }) => {
    await Promise.allSettled([event.suspensionCheck]);
  },
});

/** Tenants whose callers this container has refused; the least recently refused is first. */
const refused = new Map<string, true>();
const KEPT = 1_000;

/**
 * Requires that a tenant is not suspended. The platform never is.
 * @throws Problem `organization-suspended`
 */
export async function requireActive(tenant: Tenant): Promise<void> {
  if (tenant.orgId !== null) refuseSuspended(tenant, await readSuspension(tenant));
}

/**
 * The same, for a suspension as read.
 * @throws Problem `organization-suspended`
 */
export function refuseSuspended({ id }: Pick<Tenant, 'id'>, suspension: Suspension | undefined): void {
  if (suspension === undefined) {
    refused.delete(id);
    return;
  }
  keepNewest(refused, id, true, KEPT);
  throw new Problem('organization-suspended', {
    detail: 'The organization is suspended: ask those who operate this service.',
  });
}
