import { Problem, pointer } from '#contract';
import { type Operations, pagesOf } from '#http';
import { RecordTooLarge } from '#table';
import { entriesOf, type logs } from './contract.ts';
import { logEntity } from './store.ts';

export const logOperations: Operations<typeof logs> = {
  listLogs: pagesOf(logEntity),

  ingestLog: async ({ body, tenant, caller, session }) => {
    if (caller.type === 'user') throw new Problem('forbidden', { detail: 'Log entries come from integrations only.' });
    const from = { integration_id: caller.integrationId, ts: session.timestamp };
    const all = entriesOf(body).map((entry) => ({ ...entry, ...from }));
    const creating = tenant.records(logEntity).createAll(all);
    const created = await creating.catch((error: unknown) => {
      throw error instanceof RecordTooLarge && body.entries !== undefined ? entriesTooLarge(error) : error;
    });
    const ids = created.map(({ record }) => record.id);
    const [id = ''] = ids;
    return { body: { id, received: true, ...(body.entries === undefined ? {} : { ids }) } };
  },
};

const entriesTooLarge = (cause: RecordTooLarge): Problem =>
  new Problem('content-too-large', {
    errors: cause.indexes.map((index) => ({
      in: 'body',
      pointer: pointer(['entries', index]),
      detail: `would take more than ${cause.most} bytes in a response`,
    })),
    cause,
  });
