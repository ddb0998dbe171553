import { type ConsumedCapacity, type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { countUnits, increment } from '#telemetry';

/**
 * Counts the calls of a client, the units that DynamoDB reports, what the SDK repeated of them, and their conflicts with other transactions.
 * There is no `await` here: it would take one of the ten lines that the stack of an error has.
 */
export function countTableCalls({ middlewareStack }: DynamoDBClient): void {
  middlewareStack.add(
    (next) => (call) => {
      increment('TableCalls');
      const input = Object.assign({}, call.input, { ReturnConsumedCapacity: 'TOTAL' as const });
      return next({ ...call, input }).then(
        (result) => {
          countUnits(unitsIn(result.output));
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

/** The units that DynamoDB reports of a call. */
export function unitsIn(output: object): number {
  const { ConsumedCapacity: consumed = [] } = output as {
    readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
  };
  return [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
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
