import { Problem } from '#contract/problem';
import type { Tenant } from '#table';
import { readCredentialsOf } from '#tenancy/credentials';
import { type Applied, applyEvent, type Effects } from './effects.ts';
import { callerOfSender } from './sender.ts';
import { decryptData, eventEntity, ignoredFields } from './store.ts';

/**
 * Applies a stored event again, for the operator (`docs/decisions/0061-webhooks.md`): as its sender, with the
 * permissions that the integration has now, and only while it is active. Effect and event change in one transaction.
 */

/** Why an event is not applied. */
export interface NotApplied {
  readonly reason: string;
}

/**
 * Stages the effect of a stored event, and that it was applied.
 * @param again also where it was applied before
 * @throws Problem as for a delivery, here and at the commit
 */
export async function replay(
  tenant: Tenant,
  id: string,
  effects: Effects,
  again: boolean,
): Promise<Applied | NotApplied> {
  const events = tenant.records(eventEntity);
  const stored = await events.get(id);
  if (stored === undefined) throw new Problem('not-found', { detail: `There is no webhook event ${id}.` });
  const event = stored.record;
  if (event.outcome === 'applied' && !again) {
    return { reason: `It was applied already, by ${event.operation} to ${event.record_id}.` };
  }
  const data = await decryptData(event, tenant);
  if (data === null)
    return { reason: 'Its data was too long to be kept: its sender has to deliver it under a new id.' };
  const credentials = await readCredentialsOf(tenant, event.app_code);
  if (credentials?.integration_id !== event.integration_id || credentials.status !== 'active') {
    return { reason: `The integration ${event.app_code} is not active.` };
  }
  const applied = await applyEvent({ type: event.event_type, data }, effects, {
    tenant,
    // Its tokens and secrets may have changed since: it acts with its current state.
    caller: callerOfSender(tenant, credentials, credentials.secrets[0]?.id ?? null),
    actor: { type: 'operator' },
  });
  if (applied === undefined) return { reason: `Events of the type ${event.event_type} have no effect.` };
  await events.update(stored, {
    outcome: 'applied',
    operation: applied.operation,
    record_id: applied.recordId,
    ignored_fields: ignoredFields(applied.ignored),
  });
  return applied;
}
