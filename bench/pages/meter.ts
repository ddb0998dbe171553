import type { Table } from '@custodia/counted-lists';
import { consumedUnits, dynamoDbOperationOf } from '../../local/dynamodb/usage.ts';

/** The cost of some work on the table. */
export interface WorkCost {
  readonly calls: number;
  /** Sequential calls; concurrent calls are one round trip. */
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly milliseconds: number;
}

/** Two units a KB and item; no item of this benchmark has more. DynamoDB Local reports fewer for transactions. */
const transactionUnits = (items: readonly unknown[]): number => items.length * 2;

/** Sums the consumed capacity of all calls of a table's client. */
export class Meter {
  #calls = 0;
  #roundTrips = 0;
  #inFlight = 0;
  #units = { read: 0, write: 0 };

  constructor(table: Table) {
    table.client.middlewareStack.add(
      (next, context) => async (call) => {
        this.#calls++;
        if (this.#inFlight++ === 0) this.#roundTrips++;
        try {
          const result = await next({ ...call, input: { ...call.input, ReturnConsumedCapacity: 'TOTAL' } });
          const { readUnits, writeUnits } = consumedUnits(
            dynamoDbOperationOf(context.commandName ?? ''),
            result.output,
          );
          const { TransactItems: items } = call.input as { readonly TransactItems?: readonly unknown[] };
          this.#units.read += readUnits;
          this.#units.write += items === undefined ? writeUnits : transactionUnits(items);
          return result;
        } finally {
          this.#inFlight--;
        }
      },
      { step: 'initialize', name: 'meter' },
    );
  }

  /** Does some work and returns its cost. */
  async measure<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly cost: WorkCost }> {
    this.#calls = 0;
    this.#roundTrips = 0;
    this.#units = { read: 0, write: 0 };
    const start = performance.now();
    const result = await work();
    const milliseconds = performance.now() - start;
    const cost = {
      calls: this.#calls,
      roundTrips: this.#roundTrips,
      readUnits: this.#units.read,
      writeUnits: this.#units.write,
      milliseconds,
    };
    return { result, cost };
  }
}
