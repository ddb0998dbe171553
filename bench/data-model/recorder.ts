import type { Table } from '../../shared/table/connection/client.ts';

/** One call of the table, as the SDK was asked for it. */
export interface Call {
  /** `GetItem`, `Query`, `TransactWriteItems` … */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** One more than the latest round of which a call had ended when this one began; counted from 1. */
  readonly round: number;
  /** As the engine reports them. */
  readonly readUnits: number;
  readonly writeUnits: number;
}

interface Capacity {
  readonly CapacityUnits?: number;
}

/** The document client's commands are called other than DynamoDB's own: `GetCommand` is `GetItem`. */
const operationOf = (command: string): string =>
  command
    .replace(/Command$/, '')
    .replace(/^TransactWrite$/, 'TransactWriteItems')
    .replace(/^(Get|Put|Update|Delete|BatchGet|BatchWrite)$/, '$1Item');

const unitsOf = (output: { ConsumedCapacity?: Capacity | readonly Capacity[] }): number =>
  [output.ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

/** Keeps every call that a table's client makes, with what it consumed. */
export class Recorder {
  #calls: Call[] = [];
  #endedRound = 0;

  constructor(table: Table) {
    table.client.middlewareStack.add(
      (next, context) => async (call) => {
        const round = this.#endedRound + 1;
        const operation = operationOf(context.commandName ?? '');
        try {
          const result = await next({ ...call, input: { ...call.input, ReturnConsumedCapacity: 'TOTAL' } });
          const units = unitsOf(result.output as Parameters<typeof unitsOf>[0]);
          const isRead = /^(Get|Query|BatchGet)/.test(operation);
          const input = call.input as Call['input'];
          this.#calls.push({
            operation,
            input,
            round,
            readUnits: isRead ? units : 0,
            writeUnits: isRead ? 0 : units,
          });
          return result;
        } finally {
          this.#endedRound = Math.max(this.#endedRound, round);
        }
      },
      { step: 'initialize', name: 'recorder' },
    );
  }

  /** Does some work and tells the calls it made, in the order of their rounds. */
  async record(work: () => Promise<unknown>): Promise<readonly Call[]> {
    this.#calls = [];
    this.#endedRound = 0;
    await work();
    return this.#calls.toSorted((a, b) => a.round - b.round);
  }
}
