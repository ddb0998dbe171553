import { environmentEncryption } from '../../shared/auth/environment.ts';
import { storeSecret } from '../../shared/auth/integration-secrets.ts';
import type { Caller } from '../../shared/identity/caller.ts';
import type { Stored } from '../../shared/table/repository/records.ts';
import { stageCredentials } from '../../shared/table/system/credentials.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { chosenSecret } from './chosen-secret.ts';
import type { Integration } from './contract.ts';
import { isActive, stagePower, stageStatus } from './quota.ts';
import { integrationEntity } from './store.ts';

interface NewIntegration extends Omit<Integration, 'id' | 'org_id' | 'created_at'> {
  /** Generated when it is missing. */
  readonly secret?: string | undefined;
}

interface Registered {
  readonly stored: Stored<Integration>;
  /** In plain text: shown to the caller once. */
  readonly secret: string;
}

/**
 * Stages an integration of a tenant and its credentials. The commit throws {@link NotUnique} when the app code is taken, and Problem `conflict`
 * when the tenant has reached its limit of active integrations.
 * @param caller undefined for a first key and for the operator
 * @throws Problem `invalid-body` when the secret is too easy to guess
 */
export async function registerIntegration(
  tenant: Tenant,
  input: NewIntegration,
  caller?: Pick<Caller, 'orgId'>,
): Promise<Registered> {
  const { secret: supplied, ...fields } = input;
  const secret = await chosenSecret(supplied, fields.app_code);
  const { session } = tenant;
  const owner = { tenant: tenant.id, app_code: fields.app_code };
  const [stored, storedSecret] = await Promise.all([
    // `permissions` is audited even if it is null, which means all of them.
    tenant
      .records(integrationEntity)
      .create({ ...fields, org_id: tenant.orgId, created_at: session.timestamp }, undefined, undefined, [
        'permissions',
        'secret',
      ]),
    environmentEncryption().then((encryption) => storeSecret(encryption, owner, secret)),
  ]);
  stageCredentials(session, {
    ...owner,
    integration_id: stored.record.id,
    status: fields.status,
    rate_limit: fields.rate_limit,
    permissions: fields.permissions,
    webhook_tolerance_seconds: fields.webhook_tolerance_seconds,
    secrets: [storedSecret],
  });
  if (isActive(fields)) stageStatus(tenant, 'active', caller);
  stagePower(tenant, undefined, fields, caller);
  return { stored, secret };
}
