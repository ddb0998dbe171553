import { entranceOf, GATEWAY_PROBLEMS, type Route, undeclared } from '#contract';
import { Admission, methodThrottle } from './admission.ts';
import { type Authorize, headerAuthorizer, plainAuthorizer } from './authorizer.ts';
import { codedReply } from './content-coding.ts';
import { type AuthorizerValues, gatewayTraceIdOf, headerOf, proxyEvent, type RoutedRequest } from './event.ts';
import { badGateway, failure, failureOf, GatewayFailure } from './failure.ts';
import { type Incoming, withinStage } from './incoming.ts';
import { EventTooLarge, FunctionTimeout, type Invoke, invoker } from './invoke.ts';
import type { EndedRequest, GatewaySettings } from './options.ts';
import { ClientGone, gatewayReply, preflightReply, type Reply, redirectReply } from './reply.ts';
import { type Match, resourceTree } from './resources.ts';
import { replyOf } from './result.ts';

/** Serves a request; `readRequest` reads it. Rejects only with ClientGone. */
export type Serve = (readRequest: () => Promise<Incoming>, requestId: string) => Promise<Served>;

/** A request that got its response. */
export interface Served extends EndedRequest {
  readonly reply: Reply;
}

/** The way of a request through the gateway: read → resource → method → authorizer → function → reply. */
export function server(settings: GatewaySettings): Serve {
  const respond = responder(settings);
  return async (readRequest, requestId) => {
    let caller: AuthorizerValues | undefined;
    const served = (reply: Reply): Served => ({ reply, status: reply.status, caller });
    const onCaller = (known: AuthorizerValues | undefined): void => {
      caller = known;
    };
    try {
      return served(await respond(await readRequest(), requestId, onCaller));
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      return served(replyToFailure(error, requestId, settings));
    }
  };
}

/**
 * Responds to a request that was read. Reports the caller as soon as it is known, because a function may fail
 * afterwards.
 */
type Respond = (
  called: Incoming,
  requestId: string,
  onCaller: (caller: AuthorizerValues | undefined) => void,
) => Promise<Reply>;

function responder(settings: GatewaySettings): Respond {
  const findResource = resourceTree(settings.contracts);
  const invoke = invoker(settings.loadFunction, settings.limits);
  const authorizers = authorizersOf(settings);
  const throttle = methodThrottle(settings.throttling);
  const admission = new Admission(settings.limits);
  return async (called, requestId, onCaller) => {
    const incoming = withinStage(called, settings.stage);
    const match = findResource(incoming.segments);
    const method = match?.resource.methods.get(incoming.method);
    if (match === undefined || method === undefined) return respondUndeclared(match, incoming, requestId, settings);
    throttle(`${incoming.method} ${method.route.path}`);
    using _ = await admission.enter(incoming.body.length);
    const stage = settings.stage ?? 'local';
    const traceId = gatewayTraceIdOf(incoming);
    const routed: RoutedRequest = { requestId, traceId, stage, calledPath: called.path, incoming, match };
    const caller = await authorizers[method.route.verifiesCaller ? 'none' : method.route.auth]?.(routed);
    onCaller(caller);
    const response = replyOf(await integrate(invoke, method.functionName, routed, caller));
    const reply = await codedReply(response, incoming.headers);
    return { ...reply, headers: [...reply.headers, ['X-Amzn-Trace-Id', traceId]] };
  };
}

function replyToFailure(error: unknown, requestId: string, settings: GatewaySettings): Reply {
  const known = error instanceof GatewayFailure ? error : failureOf(GATEWAY_PROBLEMS.DEFAULT_5XX, error);
  // A refusal for overload is not logged: writing its stack would add to the load.
  if (known.cause !== undefined && known.status >= 500) settings.report(`request ${requestId} failed`, known.cause);
  return gatewayReply(known, requestId, settings);
}

function authorizersOf(settings: GatewaySettings): Readonly<Record<Route['auth'], Authorize | undefined>> {
  const { limits } = settings;
  const invoke = invoker(settings.loadFunction, { ...limits, functionMs: limits.authorizerMs });
  const bearer = headerAuthorizer(settings, invoke);
  return {
    bearer,
    'bearer-optional': settings.firstKey ? plainAuthorizer(settings, invoke) : bearer,
    signature: undefined,
    none: undefined,
  };
}

/**
 * Handles a method that the resource does not have, or a missing resource, like the stack's `ANY`
 * (`infra/api-body/undeclared.ts`).
 */
function respondUndeclared(
  match: Match | undefined,
  incoming: Incoming,
  requestId: string,
  settings: GatewaySettings,
): Reply {
  const { problem, preflight } = undeclared(routesOf(match), settings.corsOrigins);
  if (preflight !== undefined && incoming.method === 'OPTIONS')
    return preflightReply(preflight, headerOf(incoming, 'origin'), requestId);
  const entrance = entranceOf(settings.contracts);
  const path = `/${incoming.segments.map(({ decoded }) => decoded).join('/')}`;
  return entrance.paths.includes(path) && entrance.methods.includes(incoming.method)
    ? redirectReply(entrance, settings.stage, requestId)
    : gatewayReply(failureOf(problem), requestId, settings);
}

/** Each once, although `HEAD` and `GET` lead to the same. */
const routesOf = (match: Match | undefined): readonly Route[] => [
  ...new Set(Array.from(match?.resource.methods.values() ?? [], ({ route }) => route)),
];

async function integrate(
  invoke: Invoke,
  functionName: string,
  routed: RoutedRequest,
  values: AuthorizerValues | undefined,
): Promise<unknown> {
  try {
    return await invoke(functionName, proxyEvent(routed, values));
  } catch (error) {
    if (error instanceof EventTooLarge) throw failure('REQUEST_TOO_LARGE');
    if (error instanceof FunctionTimeout) throw failure('INTEGRATION_TIMEOUT', error);
    throw badGateway(error);
  }
}
