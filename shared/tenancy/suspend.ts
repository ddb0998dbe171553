import { StaleRead, type Tenant } from '#table';
import { suspensionKey } from '#table/storage';
import type { Restoring, Suspension } from './suspensions.ts';

/** Suspending, restoring and resuming, for the operator's commands. They leave audit events in the organization's own audit log. */

/** Stages the suspension of an organization that is not suspended. */
export async function stageSuspension(tenant: Tenant): Promise<Suspension> {
  const suspension: Suspension = { state: 'suspended', since: tenant.session.timestamp };
  tenant.session.changes
    .of(tenant.id)
    .put({ ...suspensionKey(tenant.id), ...suspension }, () => new StaleRead('it was suspended meanwhile'));
  await tenant.auditLog('Organization').changed(tenant.id, ['suspended']);
  return suspension;
}

/** Stages the end of a suspension as read. */
export async function stageResumption(tenant: Tenant, { state, since }: Suspension): Promise<void> {
  tenant.session.changes
    .of(tenant.id)
    .delete(
      suspensionKey(tenant.id),
      { equals: { state, since } },
      () => new StaleRead('the suspension has changed meanwhile'),
    );
  await tenant.auditLog('Organization').changed(tenant.id, ['suspended']);
}

/** Stages that a suspended organization is being restored, or with undefined that it is restored. */
export async function stageRestoring(
  tenant: Tenant,
  { state, since }: Suspension,
  restoring: Restoring | undefined,
): Promise<void> {
  const suspension: Suspension = { state, since, ...(restoring === undefined ? {} : { restoring }) };
  tenant.session.changes
    .of(tenant.id)
    .put(
      { ...suspensionKey(tenant.id), ...suspension },
      () => new StaleRead('the state of the organization has changed meanwhile'),
      { equals: { state, since } },
    );
  await tenant.auditLog('Organization').changed(tenant.id, [restoring === undefined ? 'restored' : 'restoring']);
}
