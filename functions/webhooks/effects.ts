import { recordEscalation } from '#auth';
import { type PermissionCode, Problem, pointer, type Route } from '#contract';
import { callOperation, type MatchedRoute } from '#http';
import { type Actor, actorOf, type Caller, mayDo } from '#identity';
import type { Tenant } from '#table';

/**
 * The effect of an event: the operation of the route that declares the event type, with the same validation, in the
 * integration's tenant. Only the contracts declare event types with an effect. Integrations and organizations have
 * none, because a webhook could not return the secret of a new key.
 */
export interface Effect extends Pick<MatchedRoute, 'operationId' | 'route' | 'operation'> {
  /** Fields of the data that need a further permission. */
  readonly fieldPermissions: Readonly<Record<string, PermissionCode>>;
  /** The permission to read records of this kind, and so the data of such an event. */
  readonly permission: PermissionCode | undefined;
}

/** Effects by event type. */
export type Effects = ReadonlyMap<string, Effect>;

/** The effects of all events that routes of these domains declare. */
export const effectsOf = (domains: readonly ReadonlyMap<string, MatchedRoute>[]): Effects =>
  new Map(
    domains
      .flatMap((routes) => [...routes.values()])
      .flatMap((matched) => (matched.route.event ? [[matched.route.event.type, effectOf(matched)] as const] : [])),
  );

function effectOf({ operationId, route, operation, contract: { fieldPermissions = {} } }: MatchedRoute): Effect {
  const permission = route.permission ? readingOf(route.permission) : undefined;
  return { operationId, route, operation, permission, fieldPermissions };
}

/** The read permission of the same area: `clients:read` for `clients:write`. */
const readingOf = (code: PermissionCode): PermissionCode => `${code.slice(0, code.indexOf(':'))}:read`;

type Data = Readonly<Record<string, unknown>>;

export interface Applied {
  readonly operation: string;
  readonly recordId: string | null;
  /** Names of members of the data that the operation does not take. */
  readonly ignored: readonly string[];
}

interface Context {
  readonly tenant: Tenant;
  /** The integration that has sent the event. */
  readonly caller: Caller;
  /** Who applies the event, for audit events; by default the caller. */
  readonly actor?: Actor;
}

/**
 * Stages the effect of an event in the tenant of its sender.
 * @returns undefined where events of its type have no effect
 * @throws Problem when the sender lacks a permission, or the data is invalid; with pointers into the delivery, also at
 *   the commit
 */
export async function applyEvent(
  { type, data }: { readonly type: string; readonly data: Data },
  effects: Effects,
  context: Context,
): Promise<Applied | undefined> {
  const effect = effects.get(type);
  if (effect === undefined) return undefined;
  const { caller, tenant, actor } = context;
  try {
    const { permission } = effect.route;
    if (permission && !mayDo(caller, permission)) {
      throw new Problem('forbidden', { detail: `This event needs the permission ${permission}.` });
    }
    requireOwnOrganization(tenant, data);
    return await runOperation(effect, data, context);
  } catch (error) {
    // As the routes do.
    if (actor === undefined) await recordEscalation(tenant.session, caller, effect, error);
    throw error;
  }
}

/** An event acts in the tenant of its integration, and may name that organization. */
function requireOwnOrganization(tenant: Tenant, { org_id }: Data): void {
  if (typeof org_id !== 'string' || org_id.toLowerCase() === tenant.orgId) return;
  throw new Problem('forbidden', {
    detail: 'org_id names another organization than that of the integration.',
    errors: [{ in: 'body', pointer: '#/data/org_id', detail: 'must be the organization of the integration' }],
  });
}

async function runOperation(effect: Effect, data: Data, { tenant, caller, actor }: Context): Promise<Applied> {
  const { operationId, route } = effect;
  const { session } = tenant;
  session.audit.actAs(actor ?? actorOf(caller), operationId);
  const { ignored, ...input } = inputOf(route, data);
  const explain = (refusal: Problem): Problem => insideData(refusal, route);
  const { response, params } = await callOperation(effect, input, { tenant, caller, session }, explain);
  return { operation: operationId, recordId: idOf(response) ?? idOf({ body: params }), ignored };
}

/**
 * Each path parameter is a field of the data, and the fields that the route can set are the body. A partner's data
 * describes the partner's own record: its other members are ignored and named (`docs/decisions/0061-webhooks.md`).
 */
function inputOf(route: Route, data: Data) {
  const fields = idFieldsOf(route);
  const params = Object.fromEntries(fields.map(([name, from]) => [name, asText(data[from], from)]));
  const settable = route.body?.schema.shape ?? {};
  const isTaken = (field: string): boolean => Object.hasOwn(settable, field);
  const body = Object.fromEntries(Object.entries(data).filter(([field]) => isTaken(field)));
  const used = [
    ...fields.map(([, from]) => from),
    // Must be the organization of the sender, whatever the event.
    ...(typeof data.org_id === 'string' ? ['org_id'] : []),
  ];
  return { params, body, ignored: Object.keys(data).filter((field) => !isTaken(field) && !used.includes(field)) };
}

/** The path parameters, and the fields of the data that have them: the first one may have another name there. */
const idFieldsOf = ({ event, params }: Route): readonly (readonly [name: string, field: string])[] =>
  Object.keys(params.shape).map((name, index) => [name, index === 0 ? (event?.idField ?? 'id') : name]);

function asText(id: unknown, field: string): string {
  if (typeof id === 'string') return id;
  const detail = id === undefined ? 'is required' : 'must be a string';
  throw new Problem('invalid-body', { errors: [{ in: 'body', pointer: `#/data/${field}`, detail }] });
}

const idOf = (response: { readonly body: unknown }): string | null => {
  const id = (response.body as { id?: unknown } | undefined)?.id;
  return id === undefined ? null : String(id);
};

/** Types of problems of a path or a query, as those of a body. */
const IN_BODY: { readonly [type in Problem['type']]?: Problem['type'] } = {
  'not-found': 'reference-not-found',
  'invalid-parameter': 'invalid-body',
};

/**
 * Translates a field error about the operation's input into one about the delivery's `data`. A missing record also
 * becomes a field error, because a 404 of the receiver means that there is no such integration (spec §6).
 */
function insideData(problem: Problem, route: Route): Problem {
  const errors =
    problem.type === 'not-found'
      ? [{ pointer: pointer([idFieldsOf(route).at(-1)?.[1] ?? 'id']), detail: 'names a record that does not exist' }]
      : problem.errors;
  return new Problem(IN_BODY[problem.type] ?? problem.type, {
    ...(problem.detail === undefined ? {} : { detail: problem.detail }),
    errors: errors.map((found) => ({ in: 'body', pointer: `#/data${found.pointer.slice(1)}`, detail: found.detail })),
    headers: problem.headers,
    cause: problem,
  });
}
