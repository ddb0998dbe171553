import { CredentialsRead, type Operations, pagesOf, respond } from '#http';
import { webhookEvent, type webhooks } from './contract.ts';
import type { Effects } from './effects.ts';
import { receive } from './receive.ts';
import { eventEntity, showStoredEvent } from './store.ts';

export const webhookOperations = (effects: Effects): Operations<typeof webhooks> => ({
  receiveWebhook: (input) => receive(input, input.params.app_code, effects),

  listWebhookEvents: pagesOf(eventEntity),

  getWebhookEvent: async ({ params, tenant, caller, getOrThrow }) => {
    const stored = await getOrThrow(tenant.records(eventEntity), params.id);
    const protection = effects.get(stored.record.event_type) ?? { fieldPermissions: {} };
    const record = await showStoredEvent(stored.record, protection, { tenant, caller });
    const shown = Object.keys(protection.fieldPermissions).filter((field) => (record.data?.[field] ?? null) !== null);
    if (shown.length > 0) {
      const read = new CredentialsRead(tenant, caller, webhookEvent.name, shown);
      await read.counted;
      await read.stageEvent([record.id]);
    }
    return respond.record({ ...stored, record });
  },
});
