import type { PermissionCode, Route } from '#contract';
import { Problem, type ProblemType, pointer } from '#contract/problem';
import { callOperation, type MatchedRoute } from '#http/parts';
import { type Actor, actorOf, type Caller } from '#identity';
import type { RequestSession, Tenant } from '#table';

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

export interface Applied {
  readonly operation: string;
  readonly recordId: string | null;
  /** Names of members of the data that the operation does not take. */
  readonly ignored: readonly string[];
}

interface EffectContext {
  readonly tenant: Tenant;
  readonly caller: Caller;
  readonly session: RequestSession;
  /** By default the caller. */
  readonly actor?: Actor;
}

/**
 * Runs the operation of an event, which stages its writes in the session.
 * @throws Problem with pointers into the delivery, here and at the commit
 */
export async function applyEffect(
  effect: Effect,
  data: Readonly<Record<string, unknown>>,
  { actor, ...context }: EffectContext,
): Promise<Applied> {
  const { operationId, route } = effect;
  context.session.audit.actAs(actor ?? actorOf(context.caller), operationId);
  const { ignored, ...input } = inputOf(route, data);
  const explain = (refusal: Problem): Problem => insideData(refusal, route);
  const { response, params } = await callOperation(effect, input, context, explain);
  return { operation: operationId, recordId: idOf(response) ?? idOf({ body: params }), ignored };
}

/**
 * The path parameter is a field of the data, and the fields that the route can set are the body. A partner's data
 * describes the partner's own record: its other members are ignored and named (`docs/decisions/0061-webhooks.md`).
 */
function inputOf(route: Route, data: Readonly<Record<string, unknown>>) {
  const [parameter] = Object.keys(route.params.shape);
  const idField = idFieldOf(route);
  const params: Record<string, string> = parameter === undefined ? {} : { [parameter]: asText(data[idField], idField) };
  const settable = route.body?.schema.shape ?? {};
  const isTaken = (field: string): boolean => Object.hasOwn(settable, field);
  const body = Object.fromEntries(Object.entries(data).filter(([field]) => isTaken(field)));
  const heeded = [
    ...(parameter === undefined ? [] : [idField]),
    // Must be the organization of the sender, whatever the event (`apply.ts`).
    ...(typeof data.org_id === 'string' ? ['org_id'] : []),
  ];
  return { params, body, ignored: Object.keys(data).filter((field) => !isTaken(field) && !heeded.includes(field)) };
}

const idFieldOf = (route: Route): string => route.event?.idField ?? 'id';

function asText(id: unknown, field: string): string {
  if (typeof id === 'string') return id;
  throw new Problem('invalid-body', {
    errors: [{ in: 'body', pointer: `#/data/${field}`, detail: id === undefined ? 'is required' : 'must be a string' }],
  });
}

const idOf = (response: { readonly body: unknown }): string | null => {
  const id = (response.body as { id?: unknown } | undefined)?.id;
  return id === undefined ? null : String(id);
};

/** Types of problems of a path or a query, as those of a body. */
const IN_BODY: { readonly [type in ProblemType]?: ProblemType } = {
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
      ? [{ pointer: pointer([idFieldOf(route)]), detail: 'names a record that does not exist' }]
      : problem.errors;
  return new Problem(IN_BODY[problem.type] ?? problem.type, {
    ...(problem.detail === undefined ? {} : { detail: problem.detail }),
    errors: errors.map((found) => ({ in: 'body', pointer: `#/data${found.pointer.slice(1)}`, detail: found.detail })),
    headers: problem.headers,
    cause: problem,
  });
}
