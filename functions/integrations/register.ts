import type { Caller, Permissions } from '#identity';
import type { Stored, Tenant } from '#table';
import { stageCredentials } from '#tenancy';
import type { Integration } from './contract.ts';
import { chosenSecret, presentPermissions } from './new-secret.ts';
import { isActive, stageFullAccess, stageStatus } from './quota.ts';
import * as integrationSecrets from './secrets.ts';
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

/** The caller that registers an integration and sees its secret. */
type Maker = Caller | 'anonymous' | 'operator';

/**
 * Stages an integration of a tenant and its credentials. The commit throws {@link NotUnique} when the app code is
 * taken, and Problem `conflict` when the tenant has reached its limit of active integrations.
 * @throws Problem `invalid-body` when the secret is too easy to guess
 */
export async function registerIntegration(tenant: Tenant, input: NewIntegration, maker: Maker): Promise<Registered> {
  const { secret: supplied, ...fields } = input;
  const secret = await chosenSecret(supplied, fields.app_code);
  const { session } = tenant;
  const owner = { tenant: tenant.id, app_code: fields.app_code };
  const caller = typeof maker === 'string' ? undefined : maker;
  const [stored, storedSecret] = await Promise.all([
    // `permissions` is audited even if it is null, which means all of them.
    tenant.records(integrationEntity).create({
      fields: { ...fields, org_id: tenant.orgId, created_at: session.timestamp },
      alsoAudited: ['permissions', 'secret'],
    }),
    permissionsOf(maker, tenant).then((knownWith) => integrationSecrets.seal(owner, secret, knownWith)),
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
  stageFullAccess(tenant, undefined, fields, caller);
  return { stored, secret };
}

/** An operator reaches every secret by other means; an anonymous caller has no permissions. */
async function permissionsOf(maker: Maker, tenant: Tenant): Promise<Permissions> {
  if (maker === 'operator') return null;
  return maker === 'anonymous' ? [] : presentPermissions(tenant, maker);
}
