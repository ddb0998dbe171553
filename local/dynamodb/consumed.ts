/** What a call of DynamoDB asked for and consumed, as the SDK's middleware sees it. */

/** The document client's commands have other names than DynamoDB's operations: `GetCommand` is `GetItem`. */
export const dynamoDbOperationOf = (commandName: string): string =>
  commandName
    .replace(/Command$/, '')
    .replace(/^Transact(Get|Write)$/, '$&Items')
    .replace(/^(Get|Put|Update|Delete|BatchGet|BatchWrite)$/, '$1Item');

export const isRead = (operation: string): boolean => /Get|Query/.test(operation);

interface Capacity {
  readonly CapacityUnits?: number;
}

interface Units {
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** What a call consumed that was made with `ReturnConsumedCapacity`, as the engine reports it. */
export function consumedUnits(operation: string, output: unknown): Units {
  const units = sumIn(output);
  return isRead(operation) ? { readUnits: units, writeUnits: 0 } : { readUnits: 0, writeUnits: units };
}

function sumIn(output: unknown): number {
  const { ConsumedCapacity } = output as { readonly ConsumedCapacity?: Capacity | readonly Capacity[] };
  return [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
