import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { EMPTY_KEYS } from '../keys.ts';
import { environmentTable } from './client.ts';

/**
 * Reads a key that has no item, with the function's own rights, for half a read unit: a warm start, which opens the connection. It touches nothing of a
 * tenant. @throws what the call throws
 */
export async function readWarmKey(abortSignal: AbortSignal): Promise<void> {
  const { client, name } = environmentTable();
  await client.send(new GetCommand({ TableName: name, Key: { ...EMPTY_KEYS.warmStart } }), { abortSignal });
}
