import { recordEscalation } from '#auth';
import { Problem } from '#contract/problem';
import { type Actor, type Caller, mayDo } from '#identity';
import type { Tenant } from '#table';
import { type Applied, applyEffect, type Effects } from './effects.ts';

/** An event as it was sent. */
export interface SentEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Context {
  readonly tenant: Tenant;
  /** The integration that has sent the event. */
  readonly caller: Caller;
  /** Who applies the event, for audit events; by default the caller. */
  readonly actor?: Actor;
}

/**
 * Stages the effect of an event in the tenant of its sender.
 * @returns undefined where events of its type have no effect
 * @throws Problem when the sender lacks a permission, or the data is invalid
 */
export async function apply(event: SentEvent, effects: Effects, context: Context): Promise<Applied | undefined> {
  const effect = effects.get(event.type);
  if (effect === undefined) return undefined;
  try {
    const { permission } = effect.route;
    if (permission && !mayDo(context.caller, permission)) {
      throw new Problem('forbidden', { detail: `This event needs the permission ${permission}.` });
    }
    checkOrganization(context.tenant, event.data);
    return await applyEffect(effect, event.data, { ...context, session: context.tenant.session });
  } catch (error) {
    // As the routes do.
    if (context.actor === undefined) await recordEscalation(context.tenant.session, context.caller, effect, error);
    throw error;
  }
}

/**
 * An event acts in the tenant of its integration. It may name that organization.
 * @throws Problem `forbidden` when it names another organization
 */
function checkOrganization(tenant: Tenant, { org_id }: SentEvent['data']): void {
  if (typeof org_id !== 'string' || org_id.toLowerCase() === tenant.orgId) return;
  throw new Problem('forbidden', {
    detail: 'org_id names another organization than that of the integration.',
    errors: [{ in: 'body', pointer: '#/data/org_id', detail: 'must be the organization of the integration' }],
  });
}
