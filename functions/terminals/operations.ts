import { changeListOf, type Operations, pagesOf, respond, upsertOf } from '#http';
import { changesOf } from '#table';
import { requireClient } from '../clients/references.ts';
import { terminal, type terminals } from './contract.ts';
import { terminalEntity } from './store.ts';

export const terminalOperations: Operations<typeof terminals> = {
  listTerminals: pagesOf(terminalEntity),

  createTerminal: async ({ body, tenant }) => {
    requireClient(tenant, body.client_id);
    return respond.record(
      await tenant.records(terminalEntity).create({ fields: { ...body, created_at: tenant.session.timestamp } }),
    );
  },

  upsertTerminal: upsertOf({
    ...{ by: 'external_id', entity: terminalEntity, record: terminal },
    write: () => [terminalOperations.createTerminal, terminalOperations.updateTerminal],
  }),

  getTerminal: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(terminalEntity), params.id)),

  listTerminalChanges: changeListOf(terminalEntity),

  updateTerminal: async ({ params, body, tenant, getOrThrow }) => {
    const before = await getOrThrow(tenant.records(terminalEntity), params.id);
    const changes = changesOf(before.record, body);
    return respond.record(
      changes === undefined ? before : await tenant.records(terminalEntity).update(before, changes),
    );
  },

  moveTerminal: async ({ params, body, tenant, getOrThrow }) => {
    const records = tenant.records(terminalEntity);
    const before = await getOrThrow(records, params.id);
    const changes = changesOf(before.record, body);
    if (changes === undefined) return respond.record(before);
    requireClient(tenant, body.client_id);
    return respond.record(await records.update(before, changes, { verb: 'moved' }));
  },
};
