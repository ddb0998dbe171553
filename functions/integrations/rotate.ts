import { invalidField } from '#contract';
import { checkReach, requireLivePermissions } from '#http';
import type { Caller, Permissions } from '#identity';
import { StaleRead, type Tenant } from '#table';
import { type Credentials, readCredentialsOf, stageCredentialsChange, stageTokensEnd } from '#tenancy';
import type { Integration } from './contract.ts';
import { chosenSecret, presentPermissions } from './new-secret.ts';
import * as integrationSecrets from './secrets.ts';

/**
 * Secret rotation: a new secret beside the old one (`docs/decisions/0011`). The change is conditional on the secrets
 * and permissions as read: of two concurrent rotations the second is run again.
 */

type StoredSecret = Credentials['secrets'][number];

interface RotationInput {
  /** Generated when it is missing. */
  readonly secret?: string | undefined;
  /** In seconds. */
  readonly previous_valid_for: number;
}

/** A secret, and the permissions of the caller that sets or sees it. */
interface NewSecret {
  readonly secret: string;
  readonly knownWith: Permissions;
}

interface Rotated {
  /** In plain text: shown to the caller once. */
  readonly secret: string;
  /** When the previous secret ends; null: it has ended. */
  readonly previousExpiresAt: string | null;
}

/**
 * Stages a new secret of an integration. If the previous one ends at once, all tokens end too.
 * @throws Problem `forbidden` when the integration has permissions that the caller does not have, `invalid-body` when
 * the secret is already one
 *   of this integration or too easy to guess
 */
export async function rotateSecret(
  tenant: Tenant,
  caller: Caller,
  integration: Integration,
  { secret: supplied, previous_valid_for }: RotationInput,
): Promise<Rotated> {
  const { session } = tenant;
  const endsTokens = previous_valid_for === 0;
  // Checked before the audit event allocates its number, so that a refusal writes nothing.
  checkReach(caller, integration);
  const [credentials, knownWith] = await Promise.all([
    requiredCredentialsOf(tenant, integration),
    presentPermissions(tenant, caller),
    tenant.auditLog('Integration').changed(integration.id, endsTokens ? ['secret', 'tokens'] : ['secret']),
  ]);
  checkReach(caller, credentials);
  requireLivePermissions(tenant, caller, 'integrations:write', credentials.permissions);
  const secret = await chosenSecret(supplied, integration.app_code);
  if (integrationSecrets.find(credentials.secrets, secret, session.now)) {
    throw invalidField('secret', 'is a secret of this integration already');
  }

  return stageRotation(tenant, integration, credentials, { secret, knownWith, previous_valid_for });
}

/** Stages a new secret. The newest one ends after `previous_valid_for` seconds; if that is 0, all tokens end too. */
export async function stageRotation(
  tenant: Tenant,
  integration: Integration,
  credentials: Credentials,
  { secret, knownWith, previous_valid_for }: NewSecret & Pick<RotationInput, 'previous_valid_for'>,
): Promise<Rotated> {
  const endsNow = previous_valid_for === 0;
  const fresh = await integrationSecrets.seal(credentials, secret, knownWith);
  const end = endsNow ? null : Math.floor(tenant.session.now / 1000) + previous_valid_for;
  const secrets = rotated(credentials.secrets, fresh, end);
  const { secrets: before, permissions } = credentials;
  stageCredentialsChange(tenant, integration, { secrets }, { secrets: before, permissions });
  if (endsNow) stageTokensEnd(tenant, integration);
  return { secret, previousExpiresAt: end === null ? null : new Date(end * 1000).toISOString() };
}

/**
 * The secrets after a rotation: the new one, and the previous one until `previousEnd` (epoch seconds; null: not at
 * all). A secret that was already expiring ends now.
 */
function rotated(
  secrets: readonly StoredSecret[],
  fresh: StoredSecret,
  previousEnd: number | null,
): readonly StoredSecret[] {
  const previous = secrets.find(({ expires_at }) => expires_at === null);
  return previous === undefined || previousEnd === null ? [fresh] : [fresh, { ...previous, expires_at: previousEnd }];
}

/** @throws StaleRead when they were deleted meanwhile */
export async function requiredCredentialsOf(tenant: Tenant, { app_code }: Integration): Promise<Credentials> {
  const credentials = await readCredentialsOf(tenant, app_code);
  if (credentials === undefined) throw new StaleRead('the credentials were deleted');
  return credentials;
}
