import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table.ts';
import { isMet } from './conditions.ts';
import type { PendingWrite } from './pending-write.ts';

/**
 * The error with which writes would be refused now: that of the first write whose item does not meet its condition. Items are read strongly
 * consistently. An item that cannot be read, such as credentials in most sessions, counts as meeting the condition: the commit decides.
 */
export async function refusalOf(table: Table, writes: readonly PendingWrite[]): Promise<Error | undefined> {
  const conditional = writes.filter(({ condition }) => Object.keys(condition).length > 0);
  const refusals = await Promise.all(
    conditional.map(async ({ key, condition, onConditionFailed }) => {
      const command = new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true });
      const read = await table.client.send(command).catch(() => undefined);
      return read === undefined || isMet(condition, read.Item) ? undefined : onConditionFailed(read.Item);
    }),
  );
  return refusals.find((refusal) => refusal !== undefined);
}
