import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { v7 as uuid } from 'uuid';
import type { Client } from '../../functions/clients/contract.ts';
import type { LogEntry } from '../../functions/logs/contract.ts';
import { INDEX } from './table.ts';

export interface PeerCaller {
  readonly org: string;
  readonly integrationId: string;
}

export const REQUESTED_PAGE_SIZE = 25;

/** A client as stored: with its version, for optimistic locking. */
type ClientItem = Client & { readonly version: number };
type NewClient = Pick<Client, 'name' | 'slug' | 'timezone' | 'status' | 'metadata' | 'email' | 'phone' | 'plan'>;
type PatchedClient = Partial<Omit<NewClient, 'slug'>>;
type NewLogEntry = Pick<LogEntry, 'level' | 'message' | 'metadata'>;

const RETENTION_SECONDS = 30 * 86_400;

const clientKey = (org: string, id: string) => ({ PK: `ORG#${org}#CLIENT`, SK: id });
const statusPartition = (org: string, status: string): string => `ORG#${org}#CLIENT#${status}`;
const countKey = (org: string, list: string) => ({ PK: `ORG#${org}#COUNT`, SK: list });

/**
 * Storage of usual design: a partition for each kind of record of an organization, ids that sort by time (UUID version
 * 7), an index for the status, a counter for each list's total, and an item for each unique slug. Writes that belong
 * together are one transaction.
 */
export class Store {
  readonly #client: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async getClient(org: string, id: string): Promise<Client | undefined> {
    const item = await this.#find(org, id);
    return item && shownClient(item);
  }

  /** The first page, oldest first, with the exact total. */
  async listClients(org: string, status: string | undefined) {
    const [items, total] = await Promise.all(
      status === undefined
        ? [this.#query<ClientItem>('PK', clientKey(org, '').PK), this.#totalOf(org, 'CLIENT')]
        : [
            this.#query<ClientItem>(INDEX.partition, statusPartition(org, status), { IndexName: INDEX.name }),
            this.#totalOf(org, `CLIENT#${status}`),
          ],
    );
    return firstPage(items.map(shownClient), total);
  }

  /** Creates a record, claims its slug, logs the action and counts its lists' totals. */
  async createClient(caller: PeerCaller, body: NewClient): Promise<Client> {
    const { org } = caller;
    const item = newClientItem(org, body);
    const keys = {
      ...clientKey(org, item.id),
      [INDEX.partition]: statusPartition(org, item.status),
      [INDEX.sort]: item.id,
    };
    await this.#transact([
      this.#create({ ...keys, ...item }),
      ...(item.slug === null ? [] : [this.#create({ PK: `ORG#${org}#CLIENT#slug`, SK: item.slug, id: item.id })]),
      this.#log(caller, item.id, 'created', { fields: body }),
      this.#count(org, 'CLIENT', 1),
      this.#count(org, `CLIENT#${item.status}`, 1),
    ]);
    return shownClient(item);
  }

  /** Only if nobody else has changed it since it was read; its action is logged, and the totals of statuses counted. */
  async patchClient(caller: PeerCaller, id: string, body: PatchedClient): Promise<Client | undefined> {
    const { org } = caller;
    const before = await this.#find(org, id);
    if (before === undefined) return undefined;
    const after = { ...before, ...body, version: before.version + 1 };
    const moved = after.status !== before.status;
    const fields = Object.entries({
      ...body,
      version: after.version,
      ...(moved ? { [INDEX.partition]: statusPartition(org, after.status) } : {}),
    });
    const Update = {
      TableName: this.#table,
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
    };
    await this.#transact([
      { Update },
      this.#log(caller, id, 'updated', { changes: changesIn(before, body) }),
      ...(moved
        ? [this.#count(org, `CLIENT#${before.status}`, -1), this.#count(org, `CLIENT#${after.status}`, 1)]
        : []),
    ]);
    return shownClient(after);
  }

  /** Without a total: entries expire. */
  async ingestLog(org: string, body: NewLogEntry): Promise<LogEntry> {
    const now = new Date();
    const ttl = Math.floor(now.getTime() / 1_000) + RETENTION_SECONDS;
    const entry = { ...body, id: uuid(), integration_id: null, ts: now.toISOString(), ttl };
    const Item = { PK: `ORG#${org}#LOG`, SK: entry.id, ...entry };
    await this.#client.send(new PutCommand({ TableName: this.#table, Item }));
    return entry;
  }

  async #find(org: string, id: string): Promise<ClientItem | undefined> {
    const Key = clientKey(org, id);
    const { Item } = await this.#client.send(new GetCommand({ TableName: this.#table, Key, ConsistentRead: true }));
    return Item as ClientItem | undefined;
  }

  async #query<T>(key: string, partition: string, more: Partial<QueryCommandInput> = {}): Promise<T[]> {
    const { Items = [] } = await this.#client.send(
      new QueryCommand({
        TableName: this.#table,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': key },
        ExpressionAttributeValues: { ':pk': partition },
        Limit: REQUESTED_PAGE_SIZE,
        ...more,
      }),
    );
    return Items as T[];
  }

  async #totalOf(org: string, list: string): Promise<number> {
    const { Item } = await this.#client.send(new GetCommand({ TableName: this.#table, Key: countKey(org, list) }));
    return Number(Item?.total ?? 0);
  }

  #transact(TransactItems: TransactWriteCommand['input']['TransactItems']): Promise<unknown> {
    return this.#client.send(new TransactWriteCommand({ TransactItems }));
  }

  #create(Item: Record<string, unknown>) {
    return { Put: { TableName: this.#table, Item, ConditionExpression: 'attribute_not_exists(PK)' } };
  }

  #count(org: string, list: string, change: number) {
    return {
      Update: {
        TableName: this.#table,
        Key: countKey(org, list),
        UpdateExpression: 'ADD #total :change',
        ExpressionAttributeNames: { '#total': 'total' },
        ExpressionAttributeValues: { ':change': change },
      },
    };
  }

  #log({ org, integrationId }: PeerCaller, client_id: string, type: string, details: Record<string, unknown>) {
    const id = uuid();
    const performed = { performed_by: integrationId, performed_at: new Date().toISOString() };
    const action = { id, type, client_id, ...performed, details, result: 'success' };
    return { Put: { TableName: this.#table, Item: { PK: `ORG#${org}#ACTION#${client_id}`, SK: id, ...action } } };
  }
}

const firstPage = <T>(data: readonly T[], total: number) => ({ data, page: 1, page_size: REQUESTED_PAGE_SIZE, total });

const newClientItem = (org: string, body: NewClient): ClientItem => ({
  ...body,
  id: uuid(),
  org_id: org,
  external_id: null,
  created_at: new Date().toISOString(),
  total_resources: 0,
  services_count: 0,
  last_contact: null,
  has_risks: false,
  version: 1,
});

/** The fields that a patch changes, for the log of actions. */
const changesIn = (before: Client, body: PatchedClient): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).map(([field, to]) => [field, { from: before[field as keyof Client], to }]));

/** The fields of the response, and no other attribute. */
const shownClient = (item: Client): Client => ({
  id: item.id,
  org_id: item.org_id,
  name: item.name,
  slug: item.slug,
  external_id: null,
  timezone: item.timezone,
  status: item.status,
  metadata: item.metadata,
  created_at: item.created_at,
  email: item.email,
  phone: item.phone,
  plan: item.plan,
  total_resources: item.total_resources,
  services_count: item.services_count,
  last_contact: item.last_contact,
  has_risks: item.has_risks,
});
