import type { Stored, Tenant } from '#table';
import { readCredentialsOf, stageCredentialsChange, stageTokensEnd } from '#tenancy';
import type { Integration } from '../functions/integrations/contract.ts';
import { stageFullAccess, stageStatus } from '../functions/integrations/quota.ts';
import { integrationEntity } from '../functions/integrations/store.ts';
import { asOperator } from './as-operator.ts';
import { OperatorProblem } from './problem.ts';
import { openTenant, requireExisting } from './tenant-option.ts';

/**
 * The integrations of an organization, as the operator lists and cuts them off in an incident: without a token, and
 * also while the organization is suspended.
 */

export type ListedIntegration = Pick<
  Integration,
  'id' | 'app_code' | 'display_name' | 'status' | 'permissions' | 'created_at'
>;

/**
 * All integrations of an organization, the oldest first, without their secrets.
 * @throws OperatorProblem when there is no such organization
 */
export async function integrationsOf(org: string): Promise<readonly ListedIntegration[]> {
  const listed: ListedIntegration[] = [];
  for await (const { record } of (await openTenant(org)).records(integrationEntity).all()) {
    const { id, app_code, display_name, status, permissions, created_at } = record;
    listed.push({ id, app_code, display_name, status, permissions, created_at });
  }
  return listed;
}

export interface Disabled {
  readonly id: string;
  readonly app_code: string;
  /** False: it was inactive before. */
  readonly changed: boolean;
}

/**
 * Sets an integration inactive: it cannot log in or sign webhooks, and its tokens end. It may be the last one of its
 * organization.
 * @throws OperatorProblem when there is no such organization or integration
 */
export const disableIntegration = (org: string, appCode: string): Promise<Disabled> =>
  asOperator('disableIntegration', org, async (tenant) => {
    await requireExisting(tenant);
    const stored = await integrationWith(tenant, appCode);
    const { id, status } = stored.record;
    const credentials = await readCredentialsOf(tenant, appCode);
    const isOfThis = credentials?.integration_id === id;
    if (status === 'inactive' && !(isOfThis && credentials.status === 'active')) {
      return { id, app_code: appCode, changed: false };
    }
    await stageEnd(tenant, stored);
    return { id, app_code: appCode, changed: true };
  });

async function stageEnd(tenant: Tenant, before: Stored<Integration>): Promise<void> {
  const after = await tenant
    .records(integrationEntity)
    .update(before, { status: 'inactive' }, { alsoAudited: ['tokens'] });
  if (before.record.status === 'active') stageStatus(tenant, 'inactive', OPERATOR);
  stageFullAccess(tenant, before.record, after.record, OPERATOR);
  stageCredentialsChange(tenant, before.record, { status: 'inactive' });
  stageTokensEnd(tenant, before.record);
}

/** The operator acts as a platform caller, which may leave an organization without a key. */
const OPERATOR = { orgId: null };

/** Searches the organization's own integrations, because an app code does not name its organization. */
async function integrationWith(tenant: Tenant, appCode: string): Promise<Stored<Integration>> {
  for await (const stored of tenant.records(integrationEntity).all()) {
    if (stored.record.app_code === appCode) return stored;
  }
  throw new OperatorProblem(
    `${tenant.id} has no integration ${appCode}: custodia integrations list shows those that it has.`,
  );
}
