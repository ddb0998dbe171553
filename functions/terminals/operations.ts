import { answerPage, answerRecord, type Operations } from '../../shared/http/operation.ts';
import { changesOf, isEmpty } from '../../shared/table/repository/changes.ts';
import { requireClient } from '../clients/counters.ts';
import type { terminals } from './contract.ts';
import { terminalEntity } from './store.ts';

export const terminalOperations: Operations<typeof terminals> = {
  listTerminals: async ({ query, tenant }) => {
    const { status, client_id } = query;
    return answerPage(await tenant.records(terminalEntity).page({ ...query, filter: { status, client_id } }), query);
  },

  createTerminal: async ({ body, tenant }) => {
    requireClient(tenant, body.client_id);
    return answerRecord(await tenant.records(terminalEntity).create({ ...body, created_at: tenant.session.timestamp }));
  },

  getTerminal: async ({ params, tenant, getOrThrow }) =>
    answerRecord(await getOrThrow(tenant.records(terminalEntity), params.id)),

  updateTerminal: async ({ params, body, tenant, getOrThrow }) => {
    const before = await getOrThrow(tenant.records(terminalEntity), params.id);
    const changes = changesOf(before.record, body);
    return answerRecord(isEmpty(changes) ? before : await tenant.records(terminalEntity).update(before, changes));
  },
};
