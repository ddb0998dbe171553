import { type Operations, pagesOf } from '#http';
import type { logs } from './contract.ts';
import { logEntity } from './store.ts';

export const logOperations: Operations<typeof logs> = {
  listLogs: pagesOf(logEntity),

  ingestLog: async ({ body, tenant, session }) => {
    const { record } = await tenant.records(logEntity).create({ fields: { ...body, ts: session.timestamp } });
    return { body: { id: record.id, received: true } };
  },
};
