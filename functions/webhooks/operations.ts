import { answerRecord, type Operations } from '../../shared/http/operation.ts';
import { pagesOf } from '../../shared/http/pages.ts';
import type { webhooks } from './contract.ts';
import type { Effects } from './effects.ts';
import { showEvent } from './event-data.ts';
import { receive } from './receive.ts';
import { eventEntity } from './store.ts';

export const webhookOperations = (effects: Effects): Operations<typeof webhooks> => ({
  receiveWebhook: (input) => receive(input, input.params.app_code, effects),

  listWebhookEvents: pagesOf(eventEntity),

  getWebhookEvent: async ({ params, tenant, caller, getOrThrow }) => {
    const stored = await getOrThrow(tenant.records(eventEntity), params.id);
    const protection = (await effects(stored.record.event_type)) ?? { fieldPermissions: {} };
    return answerRecord({ ...stored, record: await showEvent(stored.record, protection, { tenant, caller }) });
  },
});
