import { readingOf } from '../../shared/contract/permissions.ts';
import { Problem, pointer } from '../../shared/contract/problem.ts';
import type { PermissionCode, Route } from '../../shared/contract/route.ts';
import { problemOf } from '../../shared/http/problems.ts';
import type { MatchedRoute, RouteTable } from '../../shared/http/route-table.ts';
import { validBody, validParams } from '../../shared/http/validate.ts';
import { actorOf } from '../../shared/identity/actor.ts';
import type { Caller } from '../../shared/identity/caller.ts';
import { NotUnique } from '../../shared/table/errors.ts';
import type { Stored } from '../../shared/table/repository/records.ts';
import type { Repository } from '../../shared/table/repository/repository.ts';
import type { Session } from '../../shared/table/session.ts';
import type { Tenant } from '../../shared/table/tenant.ts';

/**
 * What an event does to stored data: the very operation of the route that declares the event type, with the same validation,
 * in the integration's tenant. Which event types mean something is thus written in the contracts and nowhere else. Those of integrations and
 * organizations declare none: whoever holds a key must not make others with it by webhook, and a new secret would have nobody to be shown to.
 */
interface Effect extends Pick<MatchedRoute, 'operationId' | 'route' | 'operation'> {
  /** Fields of the data that need a permission of their own. */
  readonly fieldPermissions: Readonly<Record<string, PermissionCode>>;
  /** What it takes to read records of this kind, and so the data of such an event. */
  readonly permission: PermissionCode | undefined;
}

/** What an event type does, by type. */
export type Effects = ReadonlyMap<string, Effect>;

export const effectsOf = (domains: readonly RouteTable[]): Effects =>
  new Map(
    domains
      .flatMap((routes) => [...routes.values()])
      .flatMap(({ operationId, route, operation, contract: { fieldPermissions = {} } }) => {
        const permission = route.permission && readingOf(route.permission);
        const effect: Effect = { operationId, route, operation, permission, fieldPermissions };
        return route.event === undefined ? [] : [[route.event.type, effect] as const];
      }),
  );

export interface Applied {
  readonly operation: string;
  readonly recordId: string | null;
}

/**
 * Runs the operation of an event; its writes are staged in the session.
 * @throws Problem whose pointers point into the delivery, here and at the commit
 */
export async function applyEffect(
  { operationId, route, operation }: Effect,
  data: Readonly<Record<string, unknown>>,
  around: { readonly tenant: Tenant; readonly caller: Caller; readonly session: Session },
): Promise<Applied> {
  const explain = (error: unknown): unknown => {
    const told = error instanceof NotUnique ? problemOf(error) : error;
    return told instanceof Problem ? insideData(told, route) : told;
  };
  around.session.explainRefusals(explain);
  around.session.actAs(actorOf(around.caller), operationId);
  try {
    const { params, body } = inputsOf(route, data);
    const answer = await operation({ ...around, params, query: {}, body, getOrThrow });
    return { operation: operationId, recordId: idOf(answer) ?? idOf({ body: params }) };
  } catch (error) {
    throw explain(error);
  }
}

/** The parameter of the path is a field of the data; the rest is the body. */
function inputsOf(route: Route, data: Readonly<Record<string, unknown>>) {
  const [parameter] = Object.keys(route.params.shape);
  const idField = idFieldOf(route);
  const { [idField]: id, ...rest } = data;
  const params = parameter === undefined ? {} : validParams(route, { params: { [parameter]: asText(id, idField) } });
  const body = route.body === undefined ? undefined : validBody(route.body, parameter === undefined ? data : rest);
  return { params, body };
}

const idFieldOf = (route: Route): string => route.event?.idField ?? 'id';

function asText(id: unknown, field: string): string {
  if (typeof id === 'string') return id;
  throw new Problem('invalid-body', { errors: [{ in: 'body', pointer: `#/${field}`, detail: 'must be a string' }] });
}

/** An event has no `If-Match`. */
async function getOrThrow<T extends object>(records: Repository<T>, id: string): Promise<Stored<T>> {
  const stored = await records.get(id);
  if (stored === undefined) throw new Problem('not-found');
  return stored;
}

const idOf = (answer: { readonly body: unknown }): string | null => {
  const id = (answer.body as { id?: unknown } | undefined)?.id;
  return id === undefined ? null : String(id);
};

/**
 * A finding about the operation's input is one about the delivery's `data`. A record that is not there is one, too: a 404 of the
 * receiver says that there is no such integration (spec §6).
 */
function insideData(problem: Problem, route: Route): Problem {
  const errors =
    problem.type === 'not-found'
      ? [{ pointer: pointer([idFieldOf(route)]), detail: 'names no record of this tenant' }]
      : problem.errors;
  const isInvalid = problem.type === 'not-found' || problem.type === 'invalid-parameter';
  return new Problem(isInvalid ? 'invalid-body' : problem.type, {
    ...(problem.detail === undefined ? {} : { detail: problem.detail }),
    errors: errors.map((found) => ({ in: 'body', pointer: `#/data${found.pointer.slice(1)}`, detail: found.detail })),
    headers: problem.headers,
    cause: problem,
  });
}
