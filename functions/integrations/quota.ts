import { Problem } from '../../shared/contract/problem.ts';
import { stageWithin } from '../../shared/table/quotas.ts';
import type { Tenant } from '../../shared/table/tenant.ts';

/** How many integrations an organization may have where `MAX_INTEGRATIONS` says nothing for the stage. */
const STANDARD = 200;

/**
 * Stages that an organization gets one integration more. The platform's are not counted: its callers and the operator make them.
 * The commit throws Problem `conflict` when there are as many as there may be.
 */
export function stageOneMore(tenant: Tenant): void {
  if (tenant.orgId === null) return;
  const most = maxIntegrations();
  stageWithin(
    tenant,
    'INTEGRATION',
    most,
    () => new Problem('conflict', { detail: `The organization has ${most} integrations, as many as it may have.` }),
  );
}

const maxIntegrations = (): number => {
  const most = process.env.MAX_INTEGRATIONS ?? '';
  return /^[1-9]\d{0,8}$/.test(most) ? Number(most) : STANDARD;
};
