import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { consumedUnits, dynamoDbOperationOf } from '../../local/dynamodb/usage.ts';

/** One call of the table. */
export interface Call {
  /** `GetItem`, `Query`, `TransactWriteItems` … */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Number of the round trip, from 1: one more than the latest round trip that had ended when this one began. */
  readonly roundTrip: number;
  /** Units as the engine reports them. */
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Whether a call flushes a request budget, which few requests do. They are measured apart (`test/middleware`). */
const isFlush = (input: object): boolean => {
  const { Key: key, UpdateExpression: update } = input as { Key?: { PK?: unknown }; UpdateExpression?: unknown };
  return update !== undefined && String(key?.PK).endsWith('#BUDGET');
};

/**
 * Keeps every call that a table's client makes, with what it consumed. Calls of one round trip return together: however
 * long each of them takes, what follows one of them begins with what follows another.
 */
export class Recorder {
  readonly table: Table;
  #calls: Call[] = [];
  #endedRoundTrip = 0;
  /** The calls of the round trip after that one. */
  #underWay: Promise<unknown>[] = [];

  constructor(table: Table) {
    this.table = table;
    table.client.middlewareStack.add(
      (next, context) => async (call) => {
        if (isFlush(call.input)) return next(call);
        const roundTrip = this.#endedRoundTrip + 1;
        const operation = dynamoDbOperationOf(context.commandName ?? '');
        const sent = next({ ...call, input: { ...call.input, ReturnConsumedCapacity: 'TOTAL' } });
        this.#underWay.push(sent);
        await this.#endOf(roundTrip);
        try {
          const result = await sent;
          const input = call.input as Call['input'];
          this.#calls.push({
            operation,
            input,
            roundTrip,
            ...consumedUnits(operation, result.output),
          });
          return result;
        } catch (error) {
          if (error instanceof TransactionCanceledException)
            this.#calls.push(refused(operation, call.input, roundTrip));
          throw error;
        }
      },
      { step: 'initialize', name: 'recorder' },
    );
  }

  /** Resolves when all its calls have ended, also those that begin meanwhile. */
  async #endOf(roundTrip: number): Promise<void> {
    for (let ended = 0; this.#endedRoundTrip < roundTrip && ended < this.#underWay.length; ) {
      ended = this.#underWay.length;
      await Promise.allSettled(this.#underWay);
    }
    if (this.#endedRoundTrip >= roundTrip) return;
    this.#endedRoundTrip = roundTrip;
    this.#underWay = [];
  }

  /** Does some work and returns its calls, in the order of their round trips. */
  async record(work: () => Promise<unknown>): Promise<readonly Call[]> {
    this.#calls = [];
    this.#endedRoundTrip = 0;
    this.#underWay = [];
    await work();
    return this.#calls.toSorted((a, b) => a.roundTrip - b.roundTrip);
  }
}

/** A transaction that was refused. Engines report no units, and AWS charges them: two for each item, of up to 1 KB. */
function refused(operation: string, input: object, roundTrip: number): Call {
  const { TransactItems = [] } = input as { readonly TransactItems?: readonly object[] };
  return { operation, input: input as Call['input'], roundTrip, readUnits: 0, writeUnits: 2 * TransactItems.length };
}
