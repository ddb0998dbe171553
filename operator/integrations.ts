import type { Stored, Tenant } from '#table';
import { type Credentials, readCredentialsOf, stageCredentialsChange, stageTokensEnd } from '#tenancy';
import type { Integration } from '../functions/integrations/contract.ts';
import { stageFullAccess, stageStatus } from '../functions/integrations/quota.ts';
import { stageRotation } from '../functions/integrations/rotate.ts';
import * as integrationSecrets from '../functions/integrations/secrets.ts';
import { integrationEntity } from '../functions/integrations/store.ts';
import { asOperator, PLATFORM } from './as-operator.ts';
import { OperatorProblem } from './problem.ts';
import { openTenant, requireExisting } from './tenant-option.ts';

/**
 * The integrations of an organization or of the platform, as the operator sees to them in an incident: without a token,
 * and also while the organization is suspended.
 */

export type ListedIntegration = Pick<
  Integration,
  'id' | 'app_code' | 'display_name' | 'status' | 'permissions' | 'created_at'
>;

/**
 * All integrations of a tenant, the oldest first, without their secrets.
 * @throws OperatorProblem when there is no such organization
 */
export async function integrationsOf(id: string): Promise<readonly ListedIntegration[]> {
  const listed: ListedIntegration[] = [];
  for await (const { record } of (await openTenant(id)).records(integrationEntity).all()) {
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
export const disableIntegration = (id: string, appCode: string): Promise<Disabled> =>
  asOperator(id === PLATFORM ? 'disablePlatformKey' : 'disableIntegration', id, async (tenant) => {
    const { stored, credentials } = await find(tenant, appCode);
    const changed = stored.record.status === 'active' || credentials?.status === 'active';
    if (changed) await stageEnd(tenant, stored);
    return { id: stored.record.id, app_code: appCode, changed };
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

interface NewSecret {
  readonly id: string;
  readonly app_code: string;
  readonly secret: string;
  /** When the previous secret ends; null: it has ended. */
  readonly previous_expires_at: string | null;
}

/**
 * Gives a key of the platform a new secret. `previousValidFor`: seconds for which the previous one is still valid; 0
 * also ends all tokens.
 * @throws OperatorProblem when the platform has no such key
 */
export const rotatePlatformKey = (appCode: string, previousValidFor: number): Promise<NewSecret> =>
  asOperator('rotatePlatformKey', PLATFORM, async (platform) => {
    const { stored, credentials } = await find(platform, appCode);
    if (credentials === undefined) throw hasNone(platform, appCode);
    const fields = previousValidFor === 0 ? ['secret', 'tokens'] : ['secret'];
    await platform.auditLog('Integration').changed(stored.record.id, fields);
    const { secret, previousExpiresAt } = await stageRotation(platform, stored.record, credentials, {
      secret: integrationSecrets.generate(),
      knownWith: null,
      previous_valid_for: previousValidFor,
    });
    return { id: stored.record.id, app_code: appCode, secret, previous_expires_at: previousExpiresAt };
  });

/** Searches the tenant's own integrations, because an app code does not name its organization. */
async function find(
  tenant: Tenant,
  appCode: string,
): Promise<{ readonly stored: Stored<Integration>; readonly credentials: Credentials | undefined }> {
  await requireExisting(tenant);
  for await (const stored of tenant.records(integrationEntity).all()) {
    if (stored.record.app_code !== appCode) continue;
    const credentials = await readCredentialsOf(tenant, appCode);
    return { stored, credentials: credentials?.integration_id === stored.record.id ? credentials : undefined };
  }
  throw hasNone(tenant, appCode);
}

const hasNone = ({ id, orgId }: Tenant, appCode: string): OperatorProblem =>
  new OperatorProblem(
    orgId === null
      ? `The platform has no key ${appCode}: custodia platform-keys list shows those that it has.`
      : `${id} has no integration ${appCode}: custodia integrations list shows those that it has.`,
  );
