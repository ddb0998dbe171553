import {
  type AttributeValue,
  type ConsumedCapacity,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Clock, Observer } from './time-limit.ts';

/** Access to the table. Its calls are observed. */
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

/** By how much a response's `Date` must differ from this machine's clock to say something: it has whole seconds. In milliseconds. */
const CLOCKS_DIFFER_MS = 5_000;

/**
 * The time by the clock of DynamoDB, which deletes what has expired, in epoch milliseconds. The SDK notes by how much the `Date` of the last response
 * differs from this machine's clock.
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

/** Of a whole number below 2^53, with its sign. */
const MOST_DIGITS = 17;
const WHOLE = /^-?\d+$/;

/** The item in an error, which the document client does not unmarshall. */
export const itemOf = (raw: Record<string, AttributeValue> | undefined): Record<string, unknown> | undefined =>
  raw === undefined ? undefined : unmarshall(raw, { wrapNumbers: exactNumber });

/**
 * Reports the calls of a client, the units that DynamoDB reports, what the SDK repeated of them, and their conflicts with other transactions.
 * There is no `await` here: it would take one of the ten lines that the stack of an error has.
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
          if (isConflict(error)) observer.count('conflicts', 1);
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

const CONFLICT = 'TransactionConflict';

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const isConflict = (error: unknown): boolean =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).some(({ Code }) => Code === CONFLICT)
    : error instanceof Error && error.name === `${CONFLICT}Exception`;
