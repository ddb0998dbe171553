import { Problem } from '../../shared/contract/problem.ts';
import type { Caller } from '../../shared/identity/caller.ts';
import { stageCount } from '../../shared/table/system/quotas.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import type { Integration } from './contract.ts';

/** Most active integrations of an organization, where `MAX_INTEGRATIONS` sets no other limit. */
const STANDARD = 200;

/**
 * Stages that an organization has one active integration more or less. Only active ones count, so that its owner can always make room by setting
 * others inactive. The commit throws Problem `conflict` when the limit is reached. Platform callers may exceed it, and integrations of the
 * platform itself are not counted.
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
