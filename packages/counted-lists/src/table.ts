import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  type ConsumedCapacity,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { TableUnavailable } from './errors.ts';
import { type Item, nameOf } from './schema.ts';
import type { PendingWrite } from './transaction/pending-write.ts';

/**
 * Access to the table. Its calls are observed.
 * @example
 * const table = new Table('records', (wrapNumbers) =>
 *   DynamoDBDocumentClient.from(new DynamoDBClient(), { unmarshallOptions: { wrapNumbers } }));
 */
export class Table {
  readonly name: string;
  readonly client: DynamoDBDocumentClient;
  readonly observer: Observer;

  /** @param clientOf makes the client, which must read numbers by this function */
  constructor(
    name: string,
    clientOf: (readNumber: typeof exactNumber) => DynamoDBDocumentClient,
    observer: Observer = NOBODY,
  ) {
    this.name = name;
    this.client = clientOf(exactNumber);
    this.observer = observer;
    observeCalls(this.client, observer);
  }

  /** The units that DynamoDB reports of a call. */
  static unitsIn(output: object): number {
    const { ConsumedCapacity: consumed } = output as {
      readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
    };
    return consumed !== undefined && 'length' in consumed
      ? consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
      : (consumed?.CapacityUnits ?? 0);
  }
}

const NOBODY: Observer = { count: () => undefined, countUnits: () => undefined, callsMade: () => 0 };

/** The least difference between a response's `Date`, in whole seconds, and this clock that counts, in milliseconds. */
const CLOCKS_DIFFER_MS = 5_000;

/**
 * The time by the clock of DynamoDB, which deletes what has expired, in epoch milliseconds. The SDK notes by how much
 * the `Date` of the last response differs from this machine's clock.
 */
export function serverTime({ client }: Table, clock: Clock): number {
  const { systemClockOffset: offset = 0 } = client.config;
  return clock() + (Math.abs(offset) < CLOCKS_DIFFER_MS ? 0 : offset);
}

/** Whole numbers beyond 2^53 (words of bits) are read as bigint, all others as number. */
const exactNumber = (value: string): number | bigint => {
  if (value.length > MOST_DIGITS && WHOLE.test(value)) return BigInt(value);
  const number = Number(value);
  return Number.isSafeInteger(number) || !WHOLE.test(value) ? number : BigInt(value);
};

/** Most characters of a whole number below 2^53, with its sign. */
const MOST_DIGITS = 17;
const WHOLE = /^-?\d+$/;

/** The item in an error, which the document client does not unmarshall. */
export const itemOf = (raw: Record<string, AttributeValue> | undefined): Record<string, unknown> | undefined =>
  raw === undefined ? undefined : unmarshall(raw, { wrapNumbers: exactNumber });

/**
 * Reports the calls of a client, the units that DynamoDB reports, what the SDK repeated of them, and their conflicts
 * with other transactions. There is no `await` here: it would take one of the ten lines that the stack of an error has.
 */
function observeCalls({ middlewareStack }: DynamoDBClient, observer: Observer): void {
  middlewareStack.add(
    (next) => (call) => {
      observer.count('calls', 1);
      const input = Object.assign({}, call.input, { ReturnConsumedCapacity: 'TOTAL' as const });
      return next({ ...call, input }).then(
        (result) => {
          observer.countUnits(Table.unitsIn(result.output));
          observer.count('retries', retriesOf(result.output));
          return result;
        },
        (error: unknown) => {
          observer.count('retries', retriesOf(error));
          if (hasConflict(error)) observer.count('conflicts', 1);
          throw error;
        },
      );
    },
    { step: 'initialize', name: 'observeCalls' },
  );
}

/** @param end a result or an error: the SDK adds to both how often it tried */
function retriesOf(end: unknown): number {
  const { $metadata: metadata } = (end ?? {}) as { readonly $metadata?: { readonly attempts?: number } };
  return (metadata?.attempts ?? 1) - 1;
}

/**
 * The reason of a write that met another transaction.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export const CONFLICT = 'TransactionConflict';

/** Whether DynamoDB refused a call because another transaction was writing one of its items, among other reasons. */
export const hasConflict = (error: unknown): boolean =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).some(({ Code }) => Code === CONFLICT)
    : (error as Error | undefined)?.name === `${CONFLICT}Exception`;

/**
 * The write units of a commit by the sizes of its items, for request budgets. DynamoDB reports them only for what
 * succeeds, and engines on one machine report too few (AWS, "DynamoDB read and write operations", "DynamoDB item sizes
 * and formats").
 */

/** Bytes of a write unit; a transaction takes two. */
const UNIT = 1_024;

/** Items that writes change or replace, by key, as far as they are known. */
export type KnownItems = ReadonlyMap<string, Item>;

/** The units that these writes take, at least. */
export function unitsOf(writes: readonly PendingWrite[], known: KnownItems): number {
  const units = writes.map((write) =>
    Math.max(unitsOfItem(write.kind === 'put' ? write.item : {}), unitsOfItem(known.get(nameOf(write.key)) ?? {})),
  );
  return units.reduce((sum, each) => sum + each, 0) * (writes.length > 1 || writes[0]?.kind !== 'put' ? 2 : 1);
}

/** The units of an item that is written outside of a transaction. */
export const unitsOfItem = (item: Item): number => Math.max(1, Math.ceil(itemSizeOf(item) / UNIT));

/** Waits for a call that writes, and counts the units that the engine does not report: a failed call has none. */
export async function countingUnits({ observer }: Table, units: number, call: Promise<object>): Promise<void> {
  try {
    observer.countUnits(units - Table.unitsIn(await call));
  } catch (error) {
    observer.countUnits(units);
    throw error;
  }
}

/** Size of an item in bytes (AWS, "DynamoDB item sizes and formats"). */
export function itemSizeOf(item: Item): number {
  let size = 0;
  // Without `Object.entries`, which takes three times as long here.
  for (const name in item) size += Buffer.byteLength(name) + sizeOfValue(item[name]);
  return size;
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number' || typeof value === 'bigint') return Math.ceil(String(value).length / 2) + 1;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Array.isArray(value)
    ? value.reduce((sum: number, element) => sum + 1 + sizeOfValue(element), 3)
    : 3 + itemSizeOf(value as Item);
}

/** DynamoDB has only partly processed a call: the rest must be requested again. */
export class Unprocessed extends Error {
  override readonly name = 'Unprocessed';
}

const TRANSIENT_REASONS = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Whether a call can be sent again unchanged: it did not happen, or is safe to repeat. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Unprocessed) return true;
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).every((reason) => TRANSIENT_REASONS.has(reason.Code ?? 'None'));
  }
  const { name, message, code, $fault, $metadata } = error as Error & {
    readonly code?: string;
    readonly $fault?: 'client' | 'server';
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  return (
    /Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded|TransactionConflict|TransactionInProgress/.test(name) ||
    $fault === 'server' ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    /TimeoutError|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|NetworkingError|socket hang up/i.test(
      `${name} ${code ?? ''} ${message}`,
    )
  );
}

/** Waits between attempts, in milliseconds: each about twice as long as the one before, up to the longest. */
export interface Waits {
  readonly first: number;
  readonly longest: number;
}

export const WAITS: Waits = { first: 25, longest: 400 };

/**
 * Retries a call on transient errors, with exponential backoff and jitter, until the deadline. Repeating it must be
 * safe.
 * @example await retry(() => table.client.send(command), { clock: Date.now, deadline: Date.now() + 10_000 })
 * @param beforeWait is called with the error and the wait before the next attempt; what it throws ends the attempts
 * @throws TableUnavailable when time runs out; what else the call throws
 */
export async function retry<T>(
  call: () => Promise<T>,
  { clock, deadline, observer }: TimeLimit,
  { first, longest }: Waits = WAITS,
  beforeWait?: (error: unknown, pause: number) => void,
): Promise<T> {
  for (let wait = first; ; wait = Math.min(wait * 2, longest)) {
    try {
      return await call();
    } catch (error) {
      const pause = wait * (0.5 + Math.random());
      if (!isTransient(error)) throw error;
      beforeWait?.(error, pause);
      if (clock() + pause > deadline) throw new TableUnavailable('the table did not answer in time', { cause: error });
      observer?.count('retries', 1);
      await sleep(pause);
      // A process that was paused meanwhile sends nothing any more.
      if (clock() > deadline) throw new TableUnavailable('the table did not answer in time', { cause: error });
    }
  }
}

/** In epoch milliseconds. */
export type Clock = () => number;

/** Until when a call is tried, and by whom that is observed. */
export interface TimeLimit {
  readonly clock: Clock;
  /** On that clock, in epoch milliseconds. */
  readonly deadline: number;
  readonly observer?: Observer | undefined;
}

/** Observes what a table does, such as for metrics. */
export interface Observer {
  /**
   * Something happened so many times: calls of DynamoDB, calls that were repeated, calls that it refused because of
   * another transaction; numbers that were fenced, numbers that were released, items that were deleted by compaction.
   */
  readonly count: (
    what: 'calls' | 'retries' | 'conflicts' | 'fences' | 'releases' | 'compactions',
    times: number,
  ) => void;
  /** Calls took so many read or write units. */
  readonly countUnits: (units: number) => void;
  /** How many calls the request at hand has made so far. */
  readonly callsMade: () => number;
}
