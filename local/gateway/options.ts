import type { Context } from 'aws-lambda';
import type { Contract } from '#contract';
import { stacksOf } from '../stacks.ts';
import { printError } from '../terminal/output.ts';

/** A Lambda function's handler. `never`, because each handler takes an event of its own kind. */
export type FunctionHandler = (event: never, context: Context) => unknown;

export interface Limits {
  /** Largest request body, in bytes. */
  readonly bodyBytes: number;
  /** Request line and headers together, in bytes. */
  readonly headerBytes: number;
  /** Largest event and largest result of a function, as JSON, in bytes. */
  readonly payloadBytes: number;
  /** Longest time a function may take, in milliseconds. */
  readonly functionMs: number;
  /** Longest time the authorizer may take, in milliseconds. */
  readonly authorizerMs: number;
  /** Requests that functions and the authorizer work on at the same time. Further ones wait (`admission.ts`). */
  readonly inFlight: number;
  /**
   * How long a request may wait for that, in milliseconds; one that can be expected to wait longer is refused at once.
   */
  readonly waitMs: number;
  /** Longest time in which headers and body may arrive, in milliseconds. */
  readonly arrivalMs: number;
  /** Longest time that requests under way may take when the gateway closes, in milliseconds. */
  readonly graceMs: number;
}

/**
 * What AWS allows. Gateway: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 * Payload: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const AWS_LIMITS = {
  bodyBytes: 10_485_760,
  headerBytes: 10_240,
  payloadBytes: 6_291_556,
  functionMs: 29_000,
  authorizerMs: 10_000,
};

/**
 * For this gateway only. `docs/decisions/0004-local-development.md` says how many requests one machine serves before
 * they time out.
 */
const OWN_LIMITS = { inFlight: 32, waitMs: 2_000, arrivalMs: 60_000, graceMs: 3_000 };

/** A request as it arrived, before any check. */
export interface Arrived {
  readonly requestId: string;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
}

/** The outcome of a request, for an access log. */
export interface EndedRequest {
  readonly status: number;
  /** The authorizer's context of the caller; undefined where it was not called, or refused the request. */
  readonly caller: Readonly<Record<string, string | number>> | undefined;
}

/** Wraps every request, as a log does. It calls `serve` once and returns its result. */
export type Around = <T extends EndedRequest>(request: Arrived, serve: () => Promise<T>) => Promise<T>;

/** The limits of a method of the stage, for all callers together. */
export interface Throttling {
  /** Requests a second in the long run. */
  readonly rate: number;
  /** Requests at once: the size of the bucket. */
  readonly burst: number;
}

export const AUTHORIZER_TTL_SECONDS = 60;

export interface GatewayOptions {
  readonly contracts: readonly Contract[];
  /** Loads a function by its folder's name; asked once for each name. */
  readonly loadFunction: (name: string) => Promise<FunctionHandler>;
  /** Name of the authorizer's function. Default `authorizer`. */
  readonly authorizer?: string;
  /** How long a response of the authorizer is kept, in seconds. Default {@link AUTHORIZER_TTL_SECONDS}. */
  readonly authorizerTtlSeconds?: number;
  /**
   * Whether `bearer-optional` routes may be called without a token. They then have an authorizer without identity
   * source and without cache, which is called for every request. Default false: they are like `bearer` routes.
   */
  readonly firstKey?: boolean;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Hosts that requests may be for, besides loopback, in lower case. Default: none. */
  readonly allowedHosts?: readonly string[];
  /**
   * The API answers under `/<stage>` only. Default: at the root, as under a custom domain; the stage is then called
   * `local`.
   */
  readonly stage?: string | undefined;
  /** Origins whose pages may call. Default: none. The functions read `CORS_ORIGINS`. */
  readonly corsOrigins?: readonly string[];
  readonly limits?: Partial<Limits>;
  /** Limits of each method. Default: none. */
  readonly throttling?: Throttling | undefined;
  /** Called with every failure behind a 5xx response. Default: writes it to standard error. */
  readonly report?: (failure: string, cause: unknown) => void;
  /** Default: nothing wraps requests. */
  readonly around?: Around | undefined;
}

export type GatewaySettings = Required<Omit<GatewayOptions, 'limits' | 'around' | 'stage' | 'throttling'>> & {
  readonly stage: string | undefined;
  readonly throttling: Throttling | undefined;
  readonly limits: Limits;
  readonly around: Around;
};

export const withDefaults = ({ limits, around, ...given }: GatewayOptions): GatewaySettings => ({
  authorizer: 'authorizer',
  authorizerTtlSeconds: AUTHORIZER_TTL_SECONDS,
  firstKey: false,
  port: 0,
  host: '127.0.0.1',
  allowedHosts: [],
  stage: undefined,
  throttling: undefined,
  corsOrigins: [],
  report: (failure, cause) => {
    printError(...`${failure}: ${stacksOf(cause)}`.split('\n'));
  },
  ...given,
  limits: { ...AWS_LIMITS, ...OWN_LIMITS, ...limits },
  around: around ?? ((_, serve) => serve()),
});
