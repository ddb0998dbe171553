import { Problem } from '#contract';
import type { Tenant } from '#table';
import { readCredentialsOf } from '#tenancy';
import { domains } from '../functions/webhooks/domains.ts';
import { type Applied, applyEvent, effectsOf } from '../functions/webhooks/effects.ts';
import { callerOfSender } from '../functions/webhooks/sender.ts';
import { decryptData, eventEntity, ignoredFields } from '../functions/webhooks/store.ts';
import { asOperator } from './as-operator.ts';

/** Why an event is not applied. */
interface NotApplied {
  readonly reason: string;
}

/**
 * Applies a stored webhook event of a tenant once more (`docs/decisions/0061-webhooks.md`): as its sender, with the
 * permissions that the integration has now, and only while it is active. Effect and event change in one transaction.
 * @param again also where it was applied before
 */
export const replayEvent = (tenant: string, event: string, again: boolean): Promise<Applied | NotApplied> =>
  asOperator('replayWebhookEvent', tenant, (opened) => replay(opened, event, again)).catch((error: unknown) => {
    if (error instanceof Problem) return { reason: sentenceOf(error) };
    throw error;
  });

/** @throws Problem as for a delivery, here and at the commit */
async function replay(tenant: Tenant, id: string, again: boolean): Promise<Applied | NotApplied> {
  const events = tenant.records(eventEntity);
  const stored = await events.get(id);
  if (stored === undefined) throw new Problem('not-found', { detail: `There is no webhook event ${id}.` });
  const event = stored.record;
  if (event.outcome === 'applied' && !again)
    return { reason: `It was applied already, by ${event.operation} to ${event.record_id}.` };
  const data = await decryptData(event, tenant);
  if (data === null)
    return { reason: 'Its data was too long to be kept: its sender has to deliver it under a new id.' };
  const credentials = await readCredentialsOf(tenant, event.app_code);
  if (credentials?.integration_id !== event.integration_id || credentials.status !== 'active')
    return { reason: `The integration ${event.app_code} is not active.` };
  const applied = await applyEvent({ type: event.event_type, data }, effectsOf(domains), {
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

/** The response that the sender would have got. */
const sentenceOf = ({ message, errors }: Problem): string =>
  [message, ...errors.map(({ pointer, detail }) => `${pointer} ${detail}`)].join('; ');
