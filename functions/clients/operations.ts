import { Problem, pointer, WHOLE_LIST } from '#contract';
import { changeListOf, type Operations, organizationOf, pagesOf, respond, upsertOf } from '#http';
import { changesOf } from '#table';
import { type Client, client, type clients } from './contract.ts';
import { actionsOf, clientEntity, recordAction, type StoredClient, toClient } from './store.ts';
import { summaryOf } from './summary.ts';

const write: Pick<Operations<typeof clients>, 'createClient' | 'updateClient'> = {
  createClient: async ({ body, tenant, caller }) => {
    const created = await tenant.records(clientEntity).create({
      fields: {
        ...body,
        org_id: organizationOf(tenant),
        created_at: tenant.session.timestamp,
        total_resources: 0,
        services_count: 0,
        last_contact: null,
        risks: 0,
      },
    });
    await recordAction(tenant, caller, created.record.id, {
      type: 'created',
      details: { fields: Object.fromEntries(Object.entries(body).map(([field, value]) => [field, shortened(value)])) },
    });
    return respond.record(created, toClient);
  },

  updateClient: async ({ params, body, tenant, caller, getOrThrow }) => {
    const records = tenant.records(clientEntity);
    const before = await getOrThrow(records, params.id, toClient);
    const changes = changesOf(before.record, body);
    if (changes === undefined) return respond.record(before, toClient);
    const after = await records.update(before, changes);
    await recordAction(tenant, caller, params.id, {
      type: 'updated',
      details: { changes: fromTo(before.record, changes) },
    });
    return respond.record(after, toClient);
  },
};

/** By what an upsert finds a client. */
const NAMES = ['slug', 'external_id'] as const;
type Upsert = Operations<typeof clients>['upsertClient'];

const upsertBy = (by: (typeof NAMES)[number]): Upsert =>
  upsertOf({ by, entity: clientEntity, record: client, write: () => [write.createClient, write.updateClient] });
const upsertsBy = { slug: upsertBy('slug'), external_id: upsertBy('external_id') };

export const clientOperations: Operations<typeof clients> = {
  ...write,

  listClients: pagesOf(clientEntity, ({ record }) => toClient(record)),

  upsertClient: async (input) => {
    const given = NAMES.filter((name) => input.query[name] !== undefined);
    if (given.length === 1) return upsertsBy[given[0] ?? 'slug'](input);
    const detail = 'the query has either slug or external_id';
    throw new Problem('invalid-parameter', {
      errors: NAMES.map((name) => ({ in: 'query', pointer: pointer([name]), detail })),
    });
  },

  getClient: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(clientEntity), params.id), toClient),

  summarizeClient: async ({ params, tenant, caller, getOrThrow }) => {
    const { record } = await getOrThrow(tenant.records(clientEntity), params.id);
    return { body: await summaryOf(tenant, caller, toClient(record)) };
  },

  listClientChanges: changeListOf(clientEntity),

  listClientActions: async ({ params, query, tenant, getOrThrow }) => {
    const [page] = await Promise.all([
      actionsOf(tenant, params.id).cursorPage({ limit: WHOLE_LIST, after: query.after, newestFirst: true }),
      getOrThrow(tenant.records(clientEntity), params.id),
    ]);
    return respond.cursorPage(page);
  },
};

/** An action has only the length of values with longer JSON, in characters: it must fit into an item. */
const LONGEST_VALUE = 16_384;

const fromTo = (before: StoredClient, changes: Partial<Client>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(changes).map(([field, to]) => [
      field,
      { from: shortened(before[field as keyof StoredClient]), to: shortened(to) },
    ]),
  );

function shortened(value: unknown): unknown {
  const { length } = JSON.stringify(value ?? null);
  return length > LONGEST_VALUE ? { omitted: true, length } : value;
}
