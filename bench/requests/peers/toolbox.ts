import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  $add,
  any,
  boolean,
  Entity,
  executeTransactWrite,
  GetItemCommand,
  item,
  number,
  PutItemCommand,
  PutTransaction,
  QueryCommand,
  string,
  Table,
  UpdateTransaction,
} from 'dynamodb-toolbox';
import type { JsonObject } from '../../../shared/contract/field.ts';
import type { Setting } from '../contender.ts';
import { REQUESTED_PAGE_SIZE } from '../operations.ts';
import { INDEX } from '../table.ts';
import {
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
  withoutNulls,
} from './store.ts';

const clientsOf = (org: string): string => `ORG#${org}#CLIENT`;
const statusPartition = (org: string, status: string): string => `ORG#${org}#CLIENT#${status}`;
const resourcesOf = (org: string): string => `ORG#${org}#RESOURCE`;

/** dynamodb-toolbox: its entities make keys and expressions, and check and format every item by their schemas. */
export function toolboxStore({ requestHandler, tableName: name }: Setting): Store {
  const documentClient = DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler }));
  const { table, clients, slugs, actions, counts, resources, logs } = entitiesOf(documentClient, name);
  const isNew = { condition: { attr: 'id', exists: false } } as const;

  const find = async (org: string, id: string) => {
    const { Item } = await clients.build(GetItemCommand).key({ org, id }).options({ consistent: true }).send();
    return Item;
  };
  const totalOf = async (org: string, list: string): Promise<number> => {
    const { Item } = await counts.build(GetItemCommand).key({ org, list }).send();
    return Item?.total ?? 0;
  };
  const count = (org: string, list: string, change: number) =>
    counts.build(UpdateTransaction).item({ org, list, total: $add(change) });
  const log = ({ org, ...caller }: PeerCaller, id: string, type: string, details: Record<string, unknown>) =>
    actions.build(PutTransaction).item({ org, ...newAction({ org, ...caller }, id, type, details) });

  return {
    async getClient(org, id) {
      const found = await find(org, id);
      return found && shownClient(found);
    },

    async listClients(org, status) {
      const query =
        status === undefined
          ? { partition: clientsOf(org) }
          : { partition: statusPartition(org, status), index: INDEX.name };
      const [{ Items = [] }, total] = await Promise.all([
        table.build(QueryCommand).entities(clients).query(query).options({ limit: REQUESTED_PAGE_SIZE }).send(),
        totalOf(org, status === undefined ? 'CLIENT' : `CLIENT#${status}`),
      ]);
      return firstPage(Items.map(shownClient), total);
    },

    async createClient(caller, body) {
      const { org } = caller;
      const created = newClientItem(org, body);
      const { id, slug, status } = created;
      const listed = { [INDEX.partition]: statusPartition(org, status), [INDEX.sort]: id };
      await executeTransactWrite(
        clients
          .build(PutTransaction)
          .item({ org, ...listed, ...withoutNulls(created) })
          .options(isNew),
        ...(slug === null ? [] : [slugs.build(PutTransaction).item({ org, slug, id }).options(isNew)]),
        log(caller, id, 'created', { fields: body }),
        count(org, 'CLIENT', 1),
        count(org, `CLIENT#${status}`, 1),
      );
      return shownClient(created);
    },

    async patchClient(caller, id, body) {
      const { org } = caller;
      const before = await find(org, id);
      if (before === undefined) return undefined;
      const changes = { ...withoutNulls(given(body)), version: before.version + 1 };
      const after = { ...before, ...changes };
      const moved = after.status !== before.status;
      await executeTransactWrite(
        clients
          .build(UpdateTransaction)
          .item({ org, id, ...changes, ...(moved ? { [INDEX.partition]: statusPartition(org, after.status) } : {}) })
          .options({ condition: { attr: 'version', eq: before.version } }),
        log(caller, id, 'updated', { changes: changesIn(shownClient(before), body) }),
        ...(moved ? [count(org, `CLIENT#${before.status}`, -1), count(org, `CLIENT#${after.status}`, 1)] : []),
      );
      return shownClient(after);
    },

    async listResources(org) {
      const query = { partition: resourcesOf(org) };
      const [{ Items = [] }, total] = await Promise.all([
        table.build(QueryCommand).entities(resources).query(query).options({ limit: REQUESTED_PAGE_SIZE }).send(),
        totalOf(org, 'RESOURCE'),
      ]);
      return firstPage(Items.map(shownResource), total);
    },

    async createResource(org, body) {
      const resource = newResourceItem(body);
      await executeTransactWrite(
        resources
          .build(PutTransaction)
          .item({ org, ...withoutNulls(resource) })
          .options(isNew),
        count(org, 'RESOURCE', 1),
      );
      return shownResource(resource);
    },

    async ingestLog(org, body) {
      const entry = newLogEntryItem(body);
      await logs
        .build(PutItemCommand)
        .item({ org, ...entry })
        .send();
      return entry;
    },
  };
}

function entitiesOf(documentClient: DynamoDBDocumentClient, name: string) {
  const table = new Table({
    documentClient,
    name,
    partitionKey: { name: 'PK', type: 'string' },
    sortKey: { name: 'SK', type: 'string' },
    indexes: {
      [INDEX.name]: {
        type: 'global',
        partitionKey: { name: INDEX.partition, type: 'string' },
        sortKey: { name: INDEX.sort, type: 'string' },
      },
    },
  });
  const plain = { table, timestamps: false } as const;
  const text = () => string().optional();
  const amount = () => number().optional();
  const json = () => any().castAs<JsonObject>().optional();
  const own = { org: string().key(), id: string().key() };

  const clients = new Entity({
    ...plain,
    name: 'client',
    schema: item({
      ...own,
      GSI1PK: string().optional(),
      GSI1SK: string().optional(),
      org_id: text(),
      name: string(),
      slug: text(),
      timezone: text(),
      status: string(),
      metadata: json(),
      created_at: text(),
      email: text(),
      phone: amount(),
      plan: text(),
      total_resources: amount(),
      services_count: amount(),
      last_contact: text(),
      has_risks: boolean().optional(),
      version: number(),
    }),
    computeKey: ({ org, id }) => ({ PK: clientsOf(org), SK: id }),
  });
  const slugs = new Entity({
    ...plain,
    name: 'slug',
    schema: item({ org: string().key(), slug: string().key(), id: string() }),
    computeKey: ({ org, slug }) => ({ PK: `${clientsOf(org)}#slug`, SK: slug }),
  });
  const actions = new Entity({
    ...plain,
    name: 'action',
    schema: item({
      ...own,
      client_id: string().key(),
      type: text(),
      performed_by: text(),
      performed_at: text(),
      details: json(),
      result: text(),
    }),
    computeKey: ({ org, client_id, id }) => ({ PK: `ORG#${org}#ACTION#${client_id}`, SK: id }),
  });
  const counts = new Entity({
    ...plain,
    name: 'count',
    schema: item({ org: string().key(), list: string().key(), total: number().optional() }),
    computeKey: ({ org, list }) => ({ PK: `ORG#${org}#COUNT`, SK: list }),
  });
  const logs = new Entity({
    ...plain,
    name: 'log',
    schema: item({ ...own, level: text(), message: text(), metadata: json(), ts: text(), ttl: amount() }),
    computeKey: ({ org, id }) => ({ PK: `ORG#${org}#LOG`, SK: id }),
  });
  const resources = new Entity({
    ...plain,
    name: 'resource',
    schema: item({
      ...own,
      client_id: text(),
      service_id: text(),
      name: string(),
      type: text(),
      description: text(),
      provider: text(),
      external_id: text(),
      location: text(),
      ip_address: text(),
      status: text(),
      specifications: json(),
      credentials: json(),
      limits: json(),
      metadata: json(),
      tags: any().castAs<string[]>().optional(),
      health_status: text(),
      last_health_check: text(),
      cpu_usage: amount(),
      memory_usage: amount(),
      storage_usage: amount(),
      usage_alerts_enabled: boolean().optional(),
      alert_threshold: amount(),
      monthly_cost: amount(),
      billing_cycle: text(),
      provisioned_at: text(),
      created_at: text(),
      updated_at: text(),
    }),
    computeKey: ({ org, id }) => ({ PK: resourcesOf(org), SK: id }),
  });
  return { table, clients, slugs, actions, counts, resources, logs };
}
