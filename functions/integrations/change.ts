import { checkGrant, checkReach, requireLivePermissions } from '#http';
import { type Caller, includeAll } from '#identity';
import type { Stored, Tenant } from '#table';
import { stageCredentialsChange, stageTokensEnd } from '#tenancy';
import { requireKnown } from '../access/privileges.ts';
import type { Integration } from './contract.ts';
import { stageFullAccess, stageStatus } from './quota.ts';
import { integrationEntity } from './store.ts';
import { type EndedSecrets, endWeakSecrets } from './widen.ts';

/**
 * Stages the change of an integration in its record and its credentials.
 * @throws Problem `invalid-body` or `forbidden`
 */
export async function changeIntegration(
  tenant: Tenant,
  caller: Caller,
  before: Stored<Integration>,
  changes: Partial<Integration>,
): Promise<{ readonly after: Stored<Integration>; readonly ended: EndedSecrets }> {
  checkChange(tenant, caller, before.record, changes);
  const ended = await secretsEndedBy(tenant, caller, before.record, changes);
  const { status, permissions, rate_limit, webhook_tolerance_seconds } = changes;
  const endsSecrets = ended.ended_secrets !== undefined;
  const after = await tenant.records(integrationEntity).update(before, changes, {
    alsoAudited: [...(endsSecrets ? ['secret'] : []), ...(endsSecrets || status === 'inactive' ? ['tokens'] : [])],
  });
  const known = {
    ...(status && { status }),
    ...(permissions !== undefined && { permissions }),
    ...(rate_limit !== undefined && { rate_limit }),
    ...(webhook_tolerance_seconds !== undefined && { webhook_tolerance_seconds }),
  };
  if (Object.keys(known).length > 0) stageCredentialsChange(tenant, before.record, known);
  if (status !== undefined) stageStatus(tenant, status, caller);
  stageFullAccess(tenant, before.record, after.record, caller);
  if (status === 'inactive') stageTokensEnd(tenant, before.record);
  return { after, ended };
}

/**
 * Checks that the caller may make a change, and stages the conditions on its credentials.
 * @throws Problem `invalid-body` or `forbidden`
 */
function checkChange(
  tenant: Tenant,
  caller: Caller,
  integration: Integration,
  { permissions = [] }: Partial<Integration>,
): void {
  requireKnown(permissions);
  checkReach(caller, integration);
  checkGrant(caller, permissions);
  requireLivePermissions(tenant, caller, 'integrations:write', integration.permissions, permissions);
}

/** Stages the end of secrets that are known with less than the new permissions, if these are more than before. */
async function secretsEndedBy(
  tenant: Tenant,
  caller: Caller,
  integration: Integration,
  { permissions }: Partial<Integration>,
): Promise<EndedSecrets> {
  if (permissions === undefined || includeAll(integration.permissions, permissions)) return {};
  // The event's number is allocated beside the reads.
  tenant.auditLog('Integration').prepare();
  return endWeakSecrets(tenant, caller, integration, permissions);
}

/** Whether a change of an integration only reduces its rights: it sets it inactive, or removes permissions. */
export function onlyRemovesPermissions(
  before: Integration,
  { status, permissions, ...others }: Partial<Integration>,
): boolean {
  return (
    Object.keys(others).length === 0 &&
    status !== 'active' &&
    (permissions === undefined || includeAll(before.permissions, permissions))
  );
}
