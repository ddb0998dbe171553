import { environmentEncryption } from '../../shared/auth/environment.ts';
import { storeSecret } from '../../shared/auth/integration-secrets.ts';
import type { Caller } from '../../shared/identity/caller.ts';
import type { Stored } from '../../shared/table/repository/records.ts';
import { stageCredentials } from '../../shared/table/system/credentials.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { chosenSecret } from './chosen-secret.ts';
import type { Integration } from './contract.ts';
import { stageStatus } from './quota.ts';
import { integrationEntity } from './store.ts';

interface Asked extends Omit<Integration, 'id' | 'org_id' | 'created_at'> {
  /** One is made when there is none. */
  readonly secret?: string | undefined;
}

interface Registered {
  readonly stored: Stored<Integration>;
  /** In plain text: shown to the caller once. */
  readonly secret: string;
}

/**
 * Stages an integration of a tenant and its credentials. The commit throws {@link NotUnique} when the app code is taken, and Problem
 * `conflict` when the tenant has as many active ones as it may have. `caller`: none for a first key and for the operator.
 * @throws Problem `invalid-body` when the secret is too easy to guess
 */
export async function registerIntegration(
  tenant: Tenant,
  asked: Asked,
  caller?: Pick<Caller, 'orgId'>,
): Promise<Registered> {
  const { secret: supplied, ...fields } = asked;
  const secret = await chosenSecret(supplied, asked.app_code);
  const { session } = tenant;
  const owner = { tenant: tenant.id, app_code: asked.app_code };
  const [stored, storedSecret] = await Promise.all([
    // Permissions also where they are null: that is all of them.
    tenant
      .records(integrationEntity)
      .create({ ...fields, org_id: tenant.orgId, created_at: session.timestamp }, undefined, undefined, [
        'permissions',
        'secret',
      ]),
    environmentEncryption().then((box) => storeSecret(box, owner, secret)),
  ]);
  stageCredentials(session, {
    ...owner,
    integration_id: stored.record.id,
    status: asked.status,
    rate_limit: asked.rate_limit,
    permissions: asked.permissions,
    webhook_tolerance_seconds: asked.webhook_tolerance_seconds,
    secrets: [storedSecret],
  });
  if (asked.status === 'active') stageStatus(tenant, 'active', caller);
  return { stored, secret };
}
