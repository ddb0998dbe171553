import { GATEWAY_PROBLEMS, type gatewayResponse } from '#contract';

type GatewayProblem = Parameters<typeof gatewayResponse>[0];

/** The gateway itself responds, with this problem. */
export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure';
  readonly problem: GatewayProblem;
  readonly status: number;
  /** The authorizer's context, for the variables `context.authorizer.…`. */
  readonly authorizer: Readonly<Record<string, string>>;

  constructor(
    problem: GatewayProblem,
    status: number,
    cause?: unknown,
    authorizer: Readonly<Record<string, string>> = {},
  ) {
    super(`${problem.type} (${status})`, { cause });
    this.authorizer = authorizer;
    this.problem = problem;
    this.status = status;
  }
}

/** A failure that API Gateway has a response type for. */
export const failure = (type: Exclude<keyof typeof GATEWAY_PROBLEMS, 'DEFAULT_4XX' | 'DEFAULT_5XX'>, cause?: unknown) =>
  failureOf(GATEWAY_PROBLEMS[type], cause);

export const failureOf = (problem: GatewayProblem, cause?: unknown): GatewayFailure =>
  new GatewayFailure(problem, problem.status ?? 500, cause);

/** The authorizer's policy does not allow the request. */
export const accessDenied = (authorizer: Readonly<Record<string, string>>): GatewayFailure =>
  new GatewayFailure(
    GATEWAY_PROBLEMS.ACCESS_DENIED,
    GATEWAY_PROBLEMS.ACCESS_DENIED.status ?? 403,
    undefined,
    authorizer,
  );

/** The stage does not exist: AWS responds before the gateway responses of any stage apply. */
export const noStage = (): GatewayFailure => failureOf({ type: 'forbidden', status: 403 });

/** A host that is not this machine: the response is AWS's for a domain without an API. */
export const wrongHost = (): GatewayFailure =>
  failureOf({
    type: 'forbidden',
    status: 403,
    detail: 'Local calls are to localhost or a loopback address; ALLOWED_HOSTS names other hosts.',
  });

/**
 * A function that failed or returned a malformed response: API Gateway has no response type for it and responds with
 * 502.
 */
export const badGateway = (cause: unknown): GatewayFailure =>
  new GatewayFailure(GATEWAY_PROBLEMS.DEFAULT_5XX, 502, cause);

/**
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html#api-gateway-known-issues-rest-apis
 */
export const uriTooLong = (): GatewayFailure => new GatewayFailure(GATEWAY_PROBLEMS.DEFAULT_4XX, 414);

/** More requests are in flight than this machine can serve in time. */
export const overloaded = (): GatewayFailure =>
  failureOf({
    type: 'unavailable',
    status: 503,
    detail: 'Too many requests are being answered at the same time.',
    headers: { 'Retry-After': "'1'" },
  });

/** A request that AWS refuses before API Gateway's responses apply: not HTTP, or not a URL. */
export const notHttp = (detail: string): GatewayFailure =>
  failureOf({ type: 'malformed-request', status: 400, detail });

export const tooSlow = (milliseconds: number): GatewayFailure =>
  failureOf({
    type: 'malformed-request',
    status: 408,
    detail: `The request did not arrive within ${milliseconds / 1_000} s.`,
  });

export const headersTooLarge = (maxBytes: number): GatewayFailure =>
  failureOf({
    type: 'content-too-large',
    status: 431,
    detail: `Request line and headers may have up to ${maxBytes} bytes.`,
  });
