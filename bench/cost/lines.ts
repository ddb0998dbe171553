import { ASSUMED } from './assumptions.ts';
import type { Mix } from './mixes.ts';
import { PRICES, type PriceName } from './prices.ts';

/** What one request of an operation takes, as measured. */
export interface Taken {
  readonly title: string;
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The body of the response, in bytes, and compressed with gzip. */
  readonly responseBytes: number;
  readonly compressedBytes: number;
}

/** What one request leaves in the logs, in bytes. */
export interface LogLines {
  readonly gateway: number;
  readonly lambda: number;
  readonly own: number;
  readonly authorizer: number;
}

/** What a stage is that is paid for. */
export interface StageSetup {
  /** Memory of a function, in MB. */
  readonly memory: number;
  readonly logs: LogLines;
  readonly hasFirewall: boolean;
  readonly isCompressed: boolean;
  readonly isTraced: boolean;
  /** Requests for which one response of the authorizer lasts. */
  readonly requestsPerAuthorizer: number;
  /** Share of the reads that get 304 and no body. */
  readonly unchanged: number;
}

/** Dollars for a million requests, by what they are paid for. */
export type Lines = Readonly<Record<(typeof LINES)[number], number>>;

export const LINES = [
  'gateway',
  'firewall',
  'functions',
  'authorizer',
  'table, writes',
  'table, reads',
  'keys',
  'logs',
  'transfer',
  'traces',
] as const;

const MILLION = 1_000_000;
const GB = 1_000_000_000;
/** A GB of memory, in MB. */
const MB_PER_GB = 1_024;

/**
 * What a million requests of a mix cost.
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
    traces: way.isTraced ? dollars('traces', ASSUMED.traced) : 0,
  };
}

/** Prices for a million, times how many of it a request takes. */
const dollars = (name: PriceName, times = 1): number => PRICES[name].dollars * times;

/** The price of a million runs, each of these seconds with this memory in MB. */
export const dollarsForRuns = (seconds: number, memory: number): number =>
  dollars('functionRequests') + dollars('functionSeconds', (seconds * memory) / MB_PER_GB);

/** The price of a million times these bytes, taken in and kept. */
export const dollarsForLogs = (bytes: number): number =>
  ((bytes * MILLION) / GB) * (PRICES.logs.dollars + ASSUMED.logMonths * PRICES.logStorage.dollars);

export const sumOf = (lines: Lines): number => LINES.reduce((sum, line) => sum + lines[line], 0);

export const largestOf = (lines: Lines): (typeof LINES)[number] =>
  LINES.reduce((largest, line) => (lines[line] > lines[largest] ? line : largest));
