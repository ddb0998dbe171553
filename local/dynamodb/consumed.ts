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

/** Units of a call that was made with `ReturnConsumedCapacity`, as the engine reports them. */
export function consumedUnitsIn(output: unknown): number {
  const { ConsumedCapacity } = output as { readonly ConsumedCapacity?: Capacity | readonly Capacity[] };
  return [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
