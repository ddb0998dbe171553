import { hash } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { counterKeyOf, type List } from './counter-item.ts';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';

/**
 * Names the numbering of a list. It changes where numbers may be given again, or records change without events: in another table, which a restored
 * one always is, and by {@link raiseGeneration}.
 */
export async function generationOf({ client, name }: Table, { GENERATION: count = 0 }: Item): Promise<string> {
  const numbering = JSON.stringify([await client.config.region(), name, Number(count)]);
  return hash('sha256', numbering).slice(0, 12);
}

/** Raises a list's generation. */
export async function raiseGeneration(table: Table, { partition }: Pick<List, 'partition'>): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...counterKeyOf(partition) },
      UpdateExpression: 'ADD GENERATION :one',
      ExpressionAttributeValues: { ':one': 1 },
    }),
  );
}
