import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type Clock, systemClock } from '../clock.ts';
import { Problem } from '../contract/problem.ts';
import type { Contract, Route } from '../contract/route.ts';
import { itemPathOf } from '../contract/traits.ts';
import { actorOf } from '../identity/actor.ts';
import { type Caller, callerOf, mayDo } from '../identity/caller.ts';
import { logger } from '../logger.ts';
import type { Stored } from '../table/repository/records.ts';
import type { Repository } from '../table/repository/repository.ts';
import { environmentSession, type Session } from '../table/session.ts';
import { problemResponse, responseOf } from './answer.ts';
import { readBody } from './body.ts';
import { IdempotentRequest } from './idempotency.ts';
import type { Answer, BearerInput, OpenInput, Operations } from './operation.ts';
import { checkIfMatch } from './preconditions.ts';
import { problemOf } from './problems.ts';
import { type Charge, withinBudget } from './rate-limit.ts';
import { type HttpRequest, requestOf } from './request.ts';
import { runOnce, runToCommit } from './run.ts';
import { type Naming, namedOrganization, tenantOf } from './tenancy.ts';
import { validParams, validQuery } from './validate.ts';

/**
 * The way of every request: route → caller → permission → input → tenant → operation → commit → answer.
 * A domain's Lambda is `pipeline(contract, operations)`.
 */

/** Time kept back from the Lambda's own for the answer, and the longest an operation may take. In milliseconds. */
const ANSWER_TIME = 1_500;
const LONGEST = 18_000;

export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** The Lambda handler of a domain. */
export function pipeline<C extends Contract>(
  contract: C,
  operations: Operations<C>,
  clock: Clock = systemClock,
): LambdaHandler {
  const table = routeTable(contract, operations as unknown as Readonly<Record<string, AnyOperation>>);
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(problemsAnswered)
    .handler((event, context) => handle(table, clock, event, context));
  return handler as unknown as LambdaHandler;
}

type AnyOperation = (input: RouteInputs & (BearerInput | OpenInput)) => Promise<Answer>;

interface RouteInputs {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

interface Served {
  readonly operationId: string;
  readonly contract: Contract;
  readonly route: Route;
  readonly operation: AnyOperation;
  readonly itemPath: string | undefined;
}

/** API Gateway names the resource that matched, so a route is found by its name. */
function routeTable(
  contract: Contract,
  operations: Readonly<Record<string, AnyOperation>>,
): ReadonlyMap<string, Served> {
  return new Map(
    Object.entries(contract.routes).map(([id, route]) => {
      const operation = operations[id];
      if (operation === undefined) throw new TypeError(`${contract.name} has no operation ${id}`);
      return [
        `${route.method} ${route.path}`,
        { operationId: id, contract, route, operation, itemPath: itemPathOf(contract, route) },
      ];
    }),
  );
}

async function handle(
  routes: ReadonlyMap<string, Served>,
  clock: Clock,
  event: APIGatewayProxyEvent,
  context: Context,
): Promise<APIGatewayProxyResult> {
  const served = routes.get(`${event.httpMethod} ${event.resource}`);
  if (served === undefined) throw new Problem('route-not-found');
  const request = requestOf(event);
  const session = environmentSession(Math.min(context.getRemainingTimeInMillis() - ANSWER_TIME, LONGEST), clock);
  const caller = callerFor(served.route, event, session.now);
  session.origin = {
    actor: actorOf(caller),
    operation: served.operationId,
    requestId: request.requestId,
    sourceAddress: request.sourceAddress || null,
  };
  return withinBudget(session, async (charge) => {
    if (caller !== undefined) charge(caller);
    return serve(served, request, { caller, charge }, session);
  });
}

/** Who is known to call, and how whoever turns out to be the caller is charged. */
interface Calling {
  readonly caller: Caller | undefined;
  readonly charge: Charge;
}

async function serve(
  served: Served,
  request: HttpRequest,
  calling: Calling,
  session: Session,
): Promise<APIGatewayProxyResult> {
  const { caller } = calling;
  if (caller !== undefined) checkPermission(served.route, caller);
  const { named, ...inputs } = inputsOf(served.route, request);
  const around = await surroundings(served.route, request, calling, { ...inputs, named }, session);
  const respond = async (): Promise<APIGatewayProxyResult> =>
    responseOf(
      { ...around, ...served, request, query: inputs.query },
      await served.operation({ ...inputs, ...around }),
    );
  const once = IdempotentRequest.of(served, request, around, inputs);
  return runToCommit(session, once === undefined ? respond : () => runOnce(once, session, respond));
}

/** `now` in epoch milliseconds. @throws Problem `unauthorized` */
function callerFor(route: Route, event: APIGatewayProxyEvent, now: number): Caller | undefined {
  if (!route.auth.startsWith('bearer')) return undefined;
  const caller = callerOf(event.requestContext.authorizer);
  if (caller === undefined) {
    if (route.auth === 'bearer-optional') return undefined;
    throw unauthorized();
  }
  // The gateway may hold on to the authorizer's answer longer than the token lives.
  if (caller.expiresAt * 1000 <= now) throw unauthorized('The token has expired.');
  return caller;
}

/** @throws Problem `forbidden` */
function checkPermission({ permission }: Route, caller: Caller): void {
  if (permission !== undefined && !mayDo(caller, permission)) {
    throw new Problem('forbidden', { detail: `This needs the permission ${permission}.` });
  }
}

const unauthorized = (detail?: string): Problem =>
  new Problem('unauthorized', {
    ...(detail === undefined ? {} : { detail }),
    headers: { 'WWW-Authenticate': detail === undefined ? 'Bearer' : 'Bearer error="invalid_token"' },
  });

/** A webhook's body is checked after its signature, by the operation itself. */
function inputsOf(route: Route, request: HttpRequest): RouteInputs & Naming {
  const params = validParams(route, request);
  const query = validQuery(route, request);
  if (route.body === undefined || route.auth === 'signature') return { params, query, body: undefined, named: {} };
  const { json, fields } = readBody(route.body, request);
  return { params, query, body: fields, named: namedOrganization(json) };
}

async function surroundings(
  route: Route,
  request: HttpRequest,
  { caller, charge }: Calling,
  { query, body, named }: RouteInputs & Naming,
  session: Session,
): Promise<BearerInput | OpenInput> {
  if (caller === undefined || route.auth !== 'bearer') {
    return { session, caller, charge, request };
  }
  const tenant = await tenantOf(caller, session, query, caller.orgId === null ? named : body);
  return { session, caller, tenant, getOrThrow: finder(route, request) };
}

const finder =
  (route: Route, request: HttpRequest) =>
  async <T extends object>(records: Repository<T>, id: string): Promise<Stored<T>> => {
    const stored = await records.get(id);
    if (stored === undefined) throw new Problem('not-found');
    if (route.method === 'PATCH' || route.method === 'DELETE') checkIfMatch(request, stored.version);
    return stored;
  };

/** Middy middleware: every error becomes problem details; what is our fault is logged. */
const problemsAnswered: middy.MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> = {
  onError: (request) => {
    const problem = problemOf(request.error);
    const { requestId } = request.event.requestContext;
    if (problem.status >= 500) logger.error(problem.message, { requestId, error: request.error as Error });
    request.response = problemResponse(problem, requestId);
  },
};
