import { Problem } from '#contract';
import type { Caller } from '#identity';
import type { Tenant } from '#table';
import { stageCount } from '#tenancy';
import type { Integration } from './contract.ts';

/** Most active integrations of an organization, where `MAX_INTEGRATIONS` sets no other limit. */
const STANDARD = 200;

/**
 * Stages a change in the number of an organization's active integrations. Only active ones count, so that its owner can
 * always make room by setting others inactive. The commit throws Problem `conflict` when the limit is reached. Platform
 * callers may exceed it, and integrations of the platform itself are not counted.
 * @param caller undefined for the first key of an organization
 */
export function stageStatus(
  tenant: Tenant,
  status: Integration['status'],
  caller: Pick<Caller, 'orgId'> | undefined,
): void {
  if (tenant.orgId === null) return;
  if (status === 'inactive') stageCount(tenant, 'INTEGRATION', 'USED', -1);
  else stageCount(tenant, 'INTEGRATION', 'USED', 1, caller?.orgId === null ? undefined : cap());
}

function cap() {
  const most = maxIntegrations();
  const detail = `The organization has ${most} active integrations, as many as it may have.`;
  return { condition: { atMost: { USED: most - 1 } }, onConditionFailed: () => new Problem('conflict', { detail }) };
}

type StatusAndPermissions = Pick<Integration, 'status' | 'permissions'>;

export const isActive = ({ status }: Pick<Integration, 'status'>): boolean => status === 'active';

/** Whether an integration can do everything in its organization now. */
export const hasFullAccess = (integration: StatusAndPermissions): boolean =>
  isActive(integration) && integration.permissions === null;

/**
 * Stages that an organization has one integration more or less that is active and has all permissions, if a change
 * makes or unmakes one. The commit throws Problem `conflict` when it was the last one: nobody in the organization could
 * undo that (`docs/decisions/0070`). Platform callers may do it.
 * @param before undefined for a new integration
 */
export function stageFullAccess(
  tenant: Tenant,
  before: StatusAndPermissions | undefined,
  after: StatusAndPermissions,
  caller: Pick<Caller, 'orgId'> | undefined,
): void {
  const [was, is] = [before !== undefined && hasFullAccess(before), hasFullAccess(after)];
  if (tenant.orgId === null || was === is) return;
  if (is) stageCount(tenant, 'INTEGRATION', 'FULL', 1);
  else stageCount(tenant, 'INTEGRATION', 'FULL', -1, caller?.orgId === null ? undefined : ANOTHER_IS_FULL);
}

const ANOTHER_IS_FULL = {
  condition: { moreThan: { FULL: 1 } },
  onConditionFailed: () =>
    new Problem('conflict', {
      detail:
        'This is the last active integration of the organization with all permissions: without it nobody could ' +
        'make one again. Make another one first.',
    }),
};

const maxIntegrations = (): number => {
  const most = process.env.MAX_INTEGRATIONS ?? '';
  return /^[1-9]\d{0,8}$/.test(most) ? Number(most) : STANDARD;
};
