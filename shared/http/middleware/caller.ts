import type { APIGatewayProxyEvent } from 'aws-lambda';
import { recordEscalation, TOKEN_TIMES } from '#auth';
import { type PermissionCode, Problem, type Route, unauthorized } from '#contract';
import { actorOf, type Caller, callerOf, mayDo, narrowedToClients } from '#identity';
import { Tenant } from '#table';
import { annotate } from '#telemetry';
import { RequestBudget } from '#tenancy';
import type { MaybeBatched } from '../operation.ts';
import type { WithResponseHeaders } from './responses.ts';
import type { InSession, Middleware, Routed } from './routing.ts';

/** Who calls, what the caller may do, and how much. */

export interface Authenticated {
  /** Undefined where the route takes no token, or none was sent. */
  caller: Caller | undefined;
}

type FromCaller = Routed & InSession & Authenticated;

/** Leaves an audit event when a caller is refused a privileged operation. */
export const escalations = (): Middleware<Partial<FromCaller>> => ({
  onError: async ({ event: { caller, matched, session }, error }) => {
    if (caller === undefined || matched === undefined || session === undefined) return;
    await recordEscalation(session, caller, matched, error);
  },
});

/** Finds out who calls a route that verifies its caller. @throws Problem */
export type VerifyCaller = (input: InSession & Pick<Routed, 'request'>) => Promise<Caller>;

/**
 * Reads the caller from the authorizer's context, or has it verified, sets the session's origin for audit events, and
 * begins to open the tenant's STS session.
 * @throws Problem `unauthorized`; `unavailable` where this container's clock is far behind the authorizer's
 */
export const authenticated = (verify?: VerifyCaller): Middleware<FromCaller> => ({
  before: async ({ event }) => {
    const { matched, request, session } = event;
    const caller = matched.route.verifiesCaller ? await verify?.(event) : callerFor(matched.route, event, session.now);
    if (matched.route.verifiesCaller && caller === undefined) throw unauthorized();
    if (caller !== undefined) {
      const { id } = Tenant.of(caller, session);
      annotate({ [caller.type === 'user' ? 'user_id' : 'integration_id']: caller.id, tenant: id });
      // In parallel to parsing and checking the body.
      session.tables.open(id);
    }
    event.caller = caller;
    session.audit.origin = {
      actor: actorOf(caller),
      operation: matched.operationId,
      requestId: request.requestId,
      sourceAddress: request.sourceAddress || null,
    };
  },
});

/** `now` in epoch milliseconds. */
function callerFor({ auth }: Route, event: APIGatewayProxyEvent, now: number): Caller | undefined {
  if (!auth.startsWith('bearer')) return undefined;
  const caller = callerOf(event.requestContext.authorizer);
  if (caller === undefined) {
    if (auth === 'bearer-optional') return undefined;
    throw unauthorized();
  }
  // The gateway may cache the authorizer's response beyond the token's expiry.
  if (caller.expiresAt * 1000 <= now) throw unauthorized('The token has expired.');
  if (caller.expiresAt * 1000 > now + (TOKEN_TIMES.lifetime + TOKEN_TIMES.leeway) * 1000) throw slowClock();
  return caller;
}

/**
 * No token is valid for so long, so this container's clock is wrong, and would date its writes wrongly
 * (`docs/decisions/0160-clocks.md`).
 */
const slowClock = (): Problem =>
  new Problem('unavailable', {
    headers: { 'Retry-After': '2' },
    cause: new Error("this container's clock is slow: the token expires later than any token can"),
  });

export interface Budgeted {
  budget: RequestBudget;
}

/**
 * Charges the request and its work to its caller's budget. Only the operation of a webhook knows its sender, and
 * charges it. Every response after the charge, problems too, has the `RateLimit` headers.
 * @throws Problem `too-many-requests`
 */
export const requestBudget = (): Middleware<FromCaller & Budgeted & WithResponseHeaders> => ({
  before: ({ event }) => {
    event.budget = new RequestBudget(event.session);
    const { cutsOff = false } = event.matched.route;
    if (event.caller !== undefined) event.budget.charge(event.caller, 'own-and-tenant', cutsOff);
  },
  after: chargeWork,
  onError: chargeWork,
});

/** Charges the work, and waits for the budget's writes: Lambda may freeze the container after the response. */
async function chargeWork({ event }: { readonly event: WithResponseHeaders & Partial<Budgeted> }): Promise<void> {
  const { budget, responseHeaders } = event;
  if (budget === undefined) return;
  budget.chargeWork();
  Object.assign(responseHeaders, budget.headers);
  await budget.flushed;
}

/**
 * Requires the kind of caller and the permission of the route, where it has one. A user that has it for some clients
 * only goes on with these, where the route keeps it to them.
 * @throws Problem `forbidden`
 */
export const authorized = (): Middleware<FromCaller & MaybeBatched> => ({
  before: ({ event }) => {
    const { caller, matched, batched } = event;
    const { permission, callers, batch, clientScope } = matched.route;
    if (callers === 'platform' && caller !== undefined && caller.orgId !== null) {
      throw new Problem('forbidden', {
        detail: 'This is for platform callers, those who operate this service: the token is of an organization.',
      });
    }
    if (batch !== undefined && caller?.permissions?.size === 0)
      throw new Problem('forbidden', { detail: 'This needs any permission for the whole organization.' });
    if (caller === undefined || !permission || mayDo(caller, permission)) return;
    event.caller = ofClients(caller, permission, batched?.batch === undefined && clientScope !== undefined);
  },
});

/**
 * The caller where it has the permission for some clients only.
 * @throws Problem `forbidden`
 */
function ofClients(caller: Caller, permission: PermissionCode, isScoped: boolean): Caller {
  const narrowed = narrowedToClients(caller, permission);
  if (narrowed === undefined) throw new Problem('forbidden', { detail: `This needs the permission ${permission}.` });
  if (isScoped) return narrowed;
  throw new Problem('forbidden', {
    detail: `This needs the permission ${permission} for the whole organization, and not for some clients only.`,
  });
}
