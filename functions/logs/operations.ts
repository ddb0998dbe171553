import { answerPage, type Operations } from '../../shared/http/operation.ts';
import type { logs } from './contract.ts';
import { logEntity } from './store.ts';

export const logOperations: Operations<typeof logs> = {
  listLogs: async ({ query, tenant }) =>
    answerPage(await tenant.records(logEntity).page({ ...query, filter: { level: query.level } }), query),

  ingestLog: async ({ body, tenant, session }) => {
    const { record } = await tenant.records(logEntity).create({ ...body, ts: session.timestamp });
    return { body: { id: record.id, received: true } };
  },
};
