import type { Caller, Permissions } from '#identity';
import type { Tenant } from '#table';
import { type Credentials, stageCredentialsChange } from '#tenancy';
import type { Integration } from './contract.ts';
import { presentPermissions } from './new-secret.ts';
import { requiredCredentialsOf } from './rotate.ts';
import * as integrationSecrets from './secrets.ts';

/**
 * Secrets that a weak key knows do not become stronger (`docs/decisions/0070`): an integration that gets more
 * permissions loses the secrets that were set or seen with less, with their tokens. If none without an expiry remains,
 * it gets a new one.
 */

/** The ended secrets, for the response. */
export interface EndedSecrets {
  readonly ended_secrets?: number;
  /** The new secret in plain text: shown to the caller once. */
  readonly secret?: string;
}

/**
 * Stages the end of the secrets that are known with less than an integration's new permissions. Conditional on the
 * secrets as read: after a concurrent rotation the operation is run again.
 */
export async function endWeakSecrets(
  tenant: Tenant,
  caller: Caller,
  integration: Integration,
  permissions: Permissions,
): Promise<EndedSecrets> {
  const [credentials, knownWith] = await Promise.all([
    requiredCredentialsOf(tenant, integration),
    presentPermissions(tenant, caller),
  ]);
  const { secrets } = credentials;
  const { kept, ended } = integrationSecrets.underPermissions(permissions, credentials, tenant.session.now);
  const stage = (changes: Partial<Pick<Credentials, 'secrets'>>) =>
    stageCredentialsChange(tenant, integration, changes, { secrets });
  if (ended.length === 0) {
    stage({});
    return {};
  }
  if (kept.some(({ expires_at }) => expires_at === null)) {
    stage({ secrets: kept });
    return { ended_secrets: ended.length };
  }
  const secret = integrationSecrets.generate();
  const fresh = await integrationSecrets.seal(credentials, secret, knownWith);
  stage({ secrets: [fresh, ...kept] });
  return { ended_secrets: ended.length, secret };
}
