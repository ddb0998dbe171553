import { type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { count } from '../../telemetry/invocation.ts';

/**
 * Counts the calls of a client, what the SDK repeated of them, and their conflicts with other transactions. Without `await`, which would take
 * one of the ten lines that the stack of an error has.
 */
export function countTableCalls({ middlewareStack }: DynamoDBClient): void {
  middlewareStack.add(
    (next) => (call) => {
      count('TableCalls');
      return next(call).then(
        (result) => {
          countRetries(result.output);
          return result;
        },
        (error: unknown) => {
          countRetries(error);
          if (isConflict(error)) count('TransactionConflicts');
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
  count('TableRetries', (metadata?.attempts ?? 1) - 1);
}

const CONFLICT = 'TransactionConflict';

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const isConflict = (error: unknown): boolean =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).some(({ Code }) => Code === CONFLICT)
    : error instanceof Error && error.name === `${CONFLICT}Exception`;
