import { Problem } from '../../shared/contract/problem.ts';
import type { Caller } from '../../shared/identity/caller.ts';
import { stageCount } from '../../shared/table/system/quotas.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import type { Integration } from './contract.ts';

/** How many active integrations an organization may have where `MAX_INTEGRATIONS` says nothing for the stage. */
const STANDARD = 200;

/**
 * Stages that an organization has one active integration more or less, as its status says. Only active ones count, so that whoever fills
 * the organization with integrations cannot keep it full: its owner sets them inactive. The platform's callers may have it be
 * more than full; the platform's own are not counted. Else the commit throws Problem `conflict` when there are as many as there may be.
 * @param caller undefined for the first key of an organization
 */
export function stageStatus(
  tenant: Tenant,
  status: Integration['status'],
  caller: Pick<Caller, 'orgId'> | undefined,
): void {
  if (tenant.orgId === null) return;
  if (status === 'inactive') stageCount(tenant, 'INTEGRATION', -1);
  else stageCount(tenant, 'INTEGRATION', 1, caller?.orgId === null ? undefined : cap());
}

function cap() {
  const most = maxIntegrations();
  const detail = `The organization has ${most} active integrations, as many as it may have.`;
  return { most, onConditionFailed: () => new Problem('conflict', { detail }) };
}

const maxIntegrations = (): number => {
  const most = process.env.MAX_INTEGRATIONS ?? '';
  return /^[1-9]\d{0,8}$/.test(most) ? Number(most) : STANDARD;
};
