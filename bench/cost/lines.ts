import { type ColdStart, weightedMs } from '../cpu-share.ts';
import { ASSUMED } from './assumptions.ts';
import type { Mix } from './mixes.ts';
import { PRICES, type PriceName } from './prices.ts';

/** The measured usage of one request of an operation. */
export interface Taken {
  readonly title: string;
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The body of the response, in bytes, and compressed with gzip. */
  readonly responseBytes: number;
  readonly compressedBytes: number;
}

/** Log bytes of one request. */
export const LOG_LINES = {
  gateway: ASSUMED.gatewayLogBytes,
  lambda: ASSUMED.lambdaLogBytes,
  own: ASSUMED.ownLogBytes,
  authorizer: ASSUMED.authorizerLogBytes,
} as const;
type LogLines = Readonly<Record<keyof typeof LOG_LINES, number>>;

/** The billed properties of a stage. */
export interface StageSetup {
  /** Memory of a function, in MB. */
  readonly memory: number;
  readonly logs: LogLines;
  readonly hasFirewall: boolean;
  readonly isCompressed: boolean;
  /** Requests per response of the authorizer. */
  readonly requestsPerAuthorizer: number;
  readonly coldStart: ColdStart;
  /** Fraction of reads that get 304 without a body. */
  readonly unchanged: number;
}

/** Dollars per million requests, by AWS service. */
export type Lines = Readonly<Record<(typeof LINES)[number], number>>;

export const LINES = [
  'gateway',
  'firewall',
  'functions',
  'cold starts',
  'authorizer',
  'table, writes',
  'table, reads',
  'keys',
  'logs',
  'transfer',
] as const;

export const MILLION = 1_000_000;
export const GB = 1_000_000_000;
/** A GB of memory, in MB. */
const MB_PER_GB = 1_024;

/**
 * The cost of a million requests of a mix.
 * @throws Error for an operation of the mix that was not measured
 */
export function costOf({ name, shares }: Mix, taken: ReadonlyMap<string, Taken>, way: StageSetup): Lines {
  const mean = (of: (one: Taken) => number): number =>
    Object.entries(shares).reduce((sum, [title, share]) => {
      const one = taken.get(title);
      if (one === undefined) throw new Error(`${title} of the mix ${name} was not measured`);
      return sum + share * of(one);
    }, 0);
  const seconds = mean(({ roundTrips }) => roundTrips * ASSUMED.roundTripMs + ASSUMED.ownMs) / 1_000;
  const authorized = 1 / way.requestsPerAuthorizer;
  const logins = 1 / ASSUMED.requestsPerLogin;
  const bodyOf = ({ title, compressedBytes, responseBytes }: Taken): number =>
    (way.isCompressed ? compressedBytes : responseBytes) * (title.startsWith('GET ') ? 1 - way.unchanged : 1);
  const sent = mean(bodyOf) + ASSUMED.headerBytes;
  const { gateway, lambda, own, authorizer } = way.logs;
  return {
    gateway: dollars('gatewayRequests'),
    firewall: way.hasFirewall ? dollars('firewallRequests') : 0,
    functions: dollarsForRuns(seconds, way.memory),
    'cold starts': dollars('functionSeconds', ASSUMED.coldStarts * coldStartGbSeconds(way)),
    // It reads one item, of one unit.
    authorizer:
      authorized * dollarsForRuns((ASSUMED.roundTripMs + ASSUMED.ownMs) / 1_000, way.memory) +
      dollars('readUnits', authorized),
    'table, writes': dollars('writeUnits', mean(({ writeUnits }) => writeUnits) + 1 / ASSUMED.requestsPerBudgetWrite),
    'table, reads': dollars(
      'readUnits',
      mean(({ readUnits }) => readUnits),
    ),
    // A login opens the stored secret and signs a token.
    keys: dollars('signatures', logins) + dollars('keyRequests', logins),
    logs: dollarsForLogs(gateway + lambda + own + authorized * (authorizer + lambda)),
    transfer: (sent * MILLION * PRICES.transfer.dollars) / GB,
  };
}

/** What a cold start takes of a function besides the request: its INIT phase, and the first request's computing. */
const coldStartGbSeconds = ({ memory, coldStart }: StageSetup): number =>
  ((ASSUMED.runtimeMs + ASSUMED.roundTripMs + weightedMs(coldStart, memory)) / 1_000) * (memory / MB_PER_GB);

/** Prices per million, times the number that a request uses. */
const dollars = (name: PriceName, times = 1): number => PRICES[name].dollars * times;

/** The price of a million runs of so many seconds with this memory in MB. */
export const dollarsForRuns = (seconds: number, memory: number): number =>
  dollars('functionRequests') + dollars('functionSeconds', (seconds * memory) / MB_PER_GB);

/** The price of ingesting and storing these bytes a million times. */
export const dollarsForLogs = (bytes: number): number =>
  ((bytes * MILLION) / GB) * (PRICES.logs.dollars + ASSUMED.logMonths * PRICES.logStorage.dollars);

export const sumOf = (lines: Lines): number => LINES.reduce((sum, line) => sum + lines[line], 0);

export const largestOf = (lines: Lines): (typeof LINES)[number] =>
  LINES.reduce((largest, line) => (lines[line] > lines[largest] ? line : largest));
