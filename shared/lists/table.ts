import {
  type AttributeValue,
  type ConsumedCapacity,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { countUnits, increment } from '#telemetry';
import { CLOCKS_DIFFER_MS, type Clock } from '../clock.ts';

/** Access to the table. Its calls are counted. */
export class Table {
  readonly name: string;
  readonly client: DynamoDBDocumentClient;

  /** @param clientOf makes the client, which must read numbers by this function */
  constructor(name: string, clientOf: (readNumber: typeof exactNumber) => DynamoDBDocumentClient) {
    this.name = name;
    this.client = clientOf(exactNumber);
    countTableCalls(this.client);
  }

  /** The units that DynamoDB reports of a call. */
  static unitsIn(output: object): number {
    const { ConsumedCapacity: consumed = [] } = output as {
      readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
    };
    return [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  }
}

/**
 * The time by the clock of DynamoDB, which deletes what has expired, in epoch milliseconds. The SDK notes by how much the `Date` of the last response
 * differs from this machine's clock. It has whole seconds, so a small difference says nothing.
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
 * Counts the calls of a client, the units that DynamoDB reports, what the SDK repeated of them, and their conflicts with other transactions.
 * There is no `await` here: it would take one of the ten lines that the stack of an error has.
 */
function countTableCalls({ middlewareStack }: DynamoDBClient): void {
  middlewareStack.add(
    (next) => (call) => {
      increment('TableCalls');
      const input = Object.assign({}, call.input, { ReturnConsumedCapacity: 'TOTAL' as const });
      return next({ ...call, input }).then(
        (result) => {
          countUnits(Table.unitsIn(result.output));
          countRetries(result.output);
          return result;
        },
        (error: unknown) => {
          countRetries(error);
          if (isConflict(error)) increment('TransactionConflicts');
          throw error;
        },
      );
    },
    { step: 'initialize', name: 'countTableCalls' },
  );
}

/** @param end a result or an error: the SDK adds to both how often it tried */
function countRetries(end: unknown): void {
  const { $metadata: metadata } = (end ?? {}) as { readonly $metadata?: { readonly attempts?: number } };
  increment('TableRetries', (metadata?.attempts ?? 1) - 1);
}

const CONFLICT = 'TransactionConflict';

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const isConflict = (error: unknown): boolean =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).some(({ Code }) => Code === CONFLICT)
    : error instanceof Error && error.name === `${CONFLICT}Exception`;
