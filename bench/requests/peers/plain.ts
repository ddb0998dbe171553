import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Resource } from '../../../functions/resources/contract.ts';
import type { Setting } from '../contender.ts';
import { REQUESTED_PAGE_SIZE } from '../operations.ts';
import { INDEX } from '../table.ts';
import {
  type ClientItem,
  changesIn,
  firstPage,
  given,
  newAction,
  newClientItem,
  newLogEntryItem,
  newResourceItem,
  type PeerCaller,
  type Store,
  shownClient,
  shownResource,
} from './store.ts';

const clientKey = (org: string, id: string) => ({ PK: `ORG#${org}#CLIENT`, SK: id });
const resourcePartition = (org: string): string => `ORG#${org}#RESOURCE`;
const statusPartition = (org: string, status: string): string => `ORG#${org}#CLIENT#${status}`;
const countKey = (org: string, list: string) => ({ PK: `ORG#${org}#COUNT`, SK: list });

/** A store that calls the document client by hand. */
export function plainStore({ requestHandler, tableName: TableName }: Setting): Store {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler }));

  const find = async (org: string, id: string): Promise<ClientItem | undefined> => {
    const { Item } = await client.send(new GetCommand({ TableName, Key: clientKey(org, id), ConsistentRead: true }));
    return Item as ClientItem | undefined;
  };

  const query = async <T>(partition: string, index: Partial<QueryCommandInput> & { readonly key: string }) => {
    const { key, ...more } = index;
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': key },
        ExpressionAttributeValues: { ':pk': partition },
        Limit: REQUESTED_PAGE_SIZE,
        ...more,
      }),
    );
    return Items as T[];
  };

  const totalOf = async (org: string, list: string): Promise<number> => {
    const { Item } = await client.send(new GetCommand({ TableName, Key: countKey(org, list) }));
    return Number(Item?.total ?? 0);
  };

  const create = (item: Record<string, unknown>) => ({
    Put: { TableName, Item: item, ConditionExpression: 'attribute_not_exists(PK)' },
  });

  const count = (org: string, list: string, change: number) => ({
    Update: {
      TableName,
      Key: countKey(org, list),
      UpdateExpression: 'ADD #total :change',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':change': change },
    },
  });

  const log = (caller: PeerCaller, id: string, type: string, details: Record<string, unknown>) => {
    const action = newAction(caller, id, type, details);
    return { Put: { TableName, Item: { PK: `ORG#${caller.org}#ACTION#${id}`, SK: action.id, ...action } } };
  };

  return {
    async getClient(org, id) {
      const item = await find(org, id);
      return item && shownClient(item);
    },

    async listClients(org, status) {
      const reading =
        status === undefined
          ? query<ClientItem>(clientKey(org, '').PK, { key: 'PK' })
          : query<ClientItem>(statusPartition(org, status), { key: INDEX.partition, IndexName: INDEX.name });
      const [items, total] = await Promise.all([
        reading,
        totalOf(org, status === undefined ? 'CLIENT' : `CLIENT#${status}`),
      ]);
      return firstPage(items.map(shownClient), total);
    },

    async createClient(caller, body) {
      const { org } = caller;
      const item = newClientItem(org, body);
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            create({
              ...clientKey(org, item.id),
              [INDEX.partition]: statusPartition(org, item.status),
              [INDEX.sort]: item.id,
              ...item,
            }),
            ...(item.slug === null ? [] : [create({ PK: `ORG#${org}#CLIENT#slug`, SK: item.slug, id: item.id })]),
            log(caller, item.id, 'created', { fields: body }),
            count(org, 'CLIENT', 1),
            count(org, `CLIENT#${item.status}`, 1),
          ],
        }),
      );
      return shownClient(item);
    },

    async patchClient(caller, id, body) {
      const { org } = caller;
      const before = await find(org, id);
      if (before === undefined) return undefined;
      const after = { ...before, ...given(body), version: before.version + 1 };
      const moved = after.status !== before.status;
      const changes = {
        ...given(body),
        version: after.version,
        ...(moved ? { [INDEX.partition]: statusPartition(org, after.status) } : {}),
      };
      const fields = Object.entries(changes);
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Update: {
                TableName,
                Key: clientKey(org, id),
                UpdateExpression: `SET ${fields.map((_, index) => `#f${index} = :f${index}`).join(', ')}`,
                ConditionExpression: '#version = :before',
                ExpressionAttributeNames: {
                  '#version': 'version',
                  ...Object.fromEntries(fields.map(([field], index) => [`#f${index}`, field])),
                },
                ExpressionAttributeValues: {
                  ':before': before.version,
                  ...Object.fromEntries(fields.map(([, value], index) => [`:f${index}`, value])),
                },
              },
            },
            log(caller, id, 'updated', { changes: changesIn(before, body) }),
            ...(moved ? [count(org, `CLIENT#${before.status}`, -1), count(org, `CLIENT#${after.status}`, 1)] : []),
          ],
        }),
      );
      return shownClient(after);
    },

    async listResources(org) {
      const [items, total] = await Promise.all([
        query<Resource>(resourcePartition(org), { key: 'PK' }),
        totalOf(org, 'RESOURCE'),
      ]);
      return firstPage(items.map(shownResource), total);
    },

    async createResource(org, body) {
      const resource = newResourceItem(body);
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            create({ PK: resourcePartition(org), SK: resource.id, ...resource }),
            count(org, 'RESOURCE', 1),
          ],
        }),
      );
      return resource;
    },

    async ingestLog(org, body) {
      const entry = newLogEntryItem(body);
      await client.send(new PutCommand({ TableName, Item: { PK: `ORG#${org}#LOG`, SK: entry.id, ...entry } }));
      return entry;
    },
  };
}
