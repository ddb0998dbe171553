import { AsyncLocalStorage } from 'node:async_hooks';
import { Table } from '@custodia/counted-lists';

/** What calls of DynamoDB ask for and consume, as the SDK's middleware sees them. */

/** The document client's commands have other names than DynamoDB's operations: `GetCommand` is `GetItem`. */
export const dynamoDbOperationOf = (commandName: string): string =>
  commandName
    .replace(/Command$/, '')
    .replace(/^Transact(Get|Write)$/, '$&Items')
    .replace(/^(Get|Put|Update|Delete|BatchGet|BatchWrite)$/, '$1Item');

export const isRead = (operation: string): boolean => /Get|Query/.test(operation);

interface Units {
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** What a call consumed that was made with `ReturnConsumedCapacity`, as the engine reports it. */
export function consumedUnits(operation: string, output: object): Units {
  const units = Table.unitsIn(output);
  return isRead(operation) ? { readUnits: units, writeUnits: 0 } : { readUnits: 0, writeUnits: units };
}

/** What a piece of work asked of DynamoDB. A call that the SDK tried more than once is one call. */
export interface Usage {
  calls: number;
  readUnits: number;
  writeUnits: number;
}

const current = new AsyncLocalStorage<Usage>();

/**
 * Does some work, and adds its calls of metered tables to `usage`, even if other work runs at the same time.
 * @example await addingTo(usage, () => tenant.records(clientEntity).get(id)); // usage.calls is 1 more
 */
export const addingTo = <T>(usage: Usage, work: () => Promise<T>): Promise<T> => current.run(usage, work);

/** Counts every call of a table's client from now on, and reports it to `onCall`. */
export function meter({ client }: Table, onCall: (text: string) => void = () => undefined): void {
  client.middlewareStack.add(
    (next, context) => async (call) => {
      const usage = current.getStore();
      if (usage === undefined) return next(call);
      const operation = dynamoDbOperationOf(context.commandName ?? '');
      usage.calls += 1;
      const start = performance.now();
      let end = 'failed';
      try {
        const result = await next({ ...call, input: { ...call.input, ReturnConsumedCapacity: 'TOTAL' } });
        const { readUnits, writeUnits } = consumedUnits(operation, result.output);
        usage.readUnits += readUnits;
        usage.writeUnits += writeUnits;
        end = `${readUnits + writeUnits} units`;
        return result;
      } finally {
        onCall(`${operation}, ${end}, ${Math.round(performance.now() - start)} ms`);
      }
    },
    { step: 'initialize', name: 'usage' },
  );
}
