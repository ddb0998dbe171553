import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Entity, Service } from 'electrodb';
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
  type Store,
  shownClient,
  shownResource,
  withoutNulls,
} from './store.ts';

const text = { type: 'string' } as const;
const required = { type: 'string', required: true } as const;
const number = { type: 'number' } as const;
const flag = { type: 'boolean' } as const;
const json = { type: 'any' } as const;

/** ElectroDB makes keys and expressions and checks attributes; a service of all entities makes transactions. */
export function electroStore({ requestHandler, tableName: table }: Setting): Store {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler }));
  const service = new Service(entities(), { client, table });
  const { clients, counts, resources, logs } = service.entities;

  const totalOf = async (org: string, list: string): Promise<number> => {
    const { data } = await counts.get({ org, list }).go();
    return data?.total ?? 0;
  };

  const find = async (org: string, id: string) => {
    const { data } = await clients.get({ org, id }).go({ consistent: true });
    return data ?? undefined;
  };

  return {
    async getClient(org, id) {
      const item = await find(org, id);
      return item && shownClient(item);
    },

    async listClients(org, status) {
      const query = status === undefined ? clients.query.all({ org }) : clients.query.ofStatus({ org, status });
      const [{ data }, total] = await Promise.all([
        query.go({ limit: REQUESTED_PAGE_SIZE }),
        totalOf(org, status === undefined ? 'client' : `client#${status}`),
      ]);
      return firstPage(data.map(shownClient), total);
    },

    async createClient(caller, body) {
      const { org } = caller;
      const item = newClientItem(org, body);
      const action = newAction(caller, item.id, 'created', { fields: body });
      await written(
        service.transaction.write((each) => [
          each.clients.create({ org, ...withoutNulls(item) }).commit(),
          ...(item.slug === null ? [] : [each.slugs.create({ org, slug: item.slug, id: item.id }).commit()]),
          each.actions.put({ org, ...action }).commit(),
          each.counts.upsert({ org, list: 'client' }).add({ total: 1 }).commit(),
          each.counts
            .upsert({ org, list: `client#${item.status}` })
            .add({ total: 1 })
            .commit(),
        ]),
      );
      return shownClient(item);
    },

    async patchClient(caller, id, body) {
      const { org } = caller;
      const before = await find(org, id);
      if (before === undefined) return undefined;
      const after = { ...before, ...withoutNulls(given(body)), version: before.version + 1 };
      const action = newAction(caller, id, 'updated', { changes: changesIn(shownClient(before), body) });
      await written(
        service.transaction.write((each) => [
          each.clients
            .update({ org, id })

            .set({ ...withoutNulls(given(body)), version: after.version })
            .where(({ version }, { eq }) => eq(version, before.version))
            .commit(),
          each.actions.put({ org, ...action }).commit(),
          ...(after.status === before.status
            ? []
            : [
                each.counts
                  .upsert({ org, list: `client#${before.status}` })
                  .add({ total: -1 })
                  .commit(),
                each.counts
                  .upsert({ org, list: `client#${after.status}` })
                  .add({ total: 1 })
                  .commit(),
              ]),
        ]),
      );
      return shownClient(after);
    },

    async listResources(org) {
      const [{ data }, total] = await Promise.all([
        resources.query.all({ org }).go({ limit: REQUESTED_PAGE_SIZE }),
        totalOf(org, 'resource'),
      ]);
      return firstPage(data.map(shownResource), total);
    },

    async createResource(org, body) {
      const resource = newResourceItem(body);
      await written(
        service.transaction.write((each) => [
          each.resources.create({ org, ...withoutNulls(resource) }).commit(),
          each.counts.upsert({ org, list: 'resource' }).add({ total: 1 }).commit(),
        ]),
      );
      return shownResource(resource);
    },

    async ingestLog(org, body) {
      const entry = newLogEntryItem(body);
      await logs.put({ org, ...entry }).go();
      return entry;
    },
  };
}

/** @throws Error where the transaction was cancelled, which ElectroDB returns and does not throw */
async function written(transaction: { readonly go: () => Promise<{ readonly canceled: boolean }> }): Promise<void> {
  const { canceled } = await transaction.go();
  if (canceled) throw new Error('the transaction was cancelled');
}

const model = (entity: string) => ({ service: 'bench', entity, version: '1' });

function entities() {
  return {
    clients: new Entity({
      model: model('client'),
      attributes: {
        org: required,
        id: required,
        org_id: text,
        name: required,
        slug: text,
        timezone: text,
        status: required,
        metadata: json,
        created_at: text,
        email: text,
        phone: number,
        plan: text,
        total_resources: number,
        services_count: number,
        last_contact: text,
        has_risks: flag,
        version: { type: 'number', required: true },
      },
      indexes: {
        all: { pk: { field: 'PK', composite: ['org'] }, sk: { field: 'SK', composite: ['id'] } },
        ofStatus: {
          index: INDEX.name,
          pk: { field: INDEX.partition, composite: ['org', 'status'] },
          sk: { field: INDEX.sort, composite: ['id'] },
        },
      },
    }),
    slugs: new Entity({
      model: model('slug'),
      attributes: { org: required, slug: required, id: required },
      indexes: { all: { pk: { field: 'PK', composite: ['org'] }, sk: { field: 'SK', composite: ['slug'] } } },
    }),
    actions: new Entity({
      model: model('action'),
      attributes: {
        org: required,
        id: required,
        type: text,
        client_id: required,
        performed_by: text,
        performed_at: text,
        details: json,
        result: text,
      },
      indexes: {
        all: { pk: { field: 'PK', composite: ['org', 'client_id'] }, sk: { field: 'SK', composite: ['id'] } },
      },
    }),
    counts: new Entity({
      model: model('count'),
      attributes: { org: required, list: required, total: number },
      indexes: { all: { pk: { field: 'PK', composite: ['org'] }, sk: { field: 'SK', composite: ['list'] } } },
    }),
    logs: new Entity({
      model: model('log'),
      attributes: { org: required, id: required, level: text, message: text, metadata: json, ts: text, ttl: number },
      indexes: { all: { pk: { field: 'PK', composite: ['org'] }, sk: { field: 'SK', composite: ['id'] } } },
    }),
    resources: new Entity({
      model: model('resource'),
      attributes: {
        org: required,
        id: required,
        client_id: required,
        service_id: text,
        name: required,
        type: text,
        description: text,
        provider: text,
        external_id: text,
        location: text,
        ip_address: text,
        status: text,
        specifications: json,
        credentials: json,
        limits: json,
        metadata: json,
        tags: json,
        health_status: text,
        last_health_check: text,
        cpu_usage: number,
        memory_usage: number,
        storage_usage: number,
        usage_alerts_enabled: flag,
        alert_threshold: number,
        monthly_cost: number,
        billing_cycle: text,
        provisioned_at: text,
        created_at: text,
        updated_at: text,
      },
      indexes: { all: { pk: { field: 'PK', composite: ['org'] }, sk: { field: 'SK', composite: ['id'] } } },
    }),
  };
}
