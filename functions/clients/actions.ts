import type { Caller } from '#identity';
import type { Tenant } from '#table';
import { actionEntity } from './store.ts';

/** The log of changes of a client. */
export const actionsOf = (tenant: Tenant, clientId: string) => tenant.below(actionEntity, clientId);

/** Stages an entry of that log. */
export async function recordAction(
  tenant: Tenant,
  caller: Caller,
  clientId: string,
  action: { readonly type: string; readonly details: Record<string, unknown> },
): Promise<void> {
  await actionsOf(tenant, clientId).create({
    fields: {
      ...action,
      client_id: clientId,
      performed_by: caller.integrationId,
      performed_at: tenant.session.timestamp,
      result: 'success',
    },
  });
}
