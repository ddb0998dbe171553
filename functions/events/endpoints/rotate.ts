import { endpointSecrets } from '#auth';
import type { Caller } from '#identity';
import type { Stored, Tenant } from '#table';
import type { EndpointSecret, StoredEndpoint } from '../store.ts';
import { confirm } from './authority.ts';
import { stageChange } from './change.ts';

interface Rotated {
  readonly stored: Stored<StoredEndpoint>;
  /** In plain text: shown to the caller once. */
  readonly secret: string;
  /** When the previous secret ends; null: it has ended. */
  readonly previousExpiresAt: string | null;
}

/**
 * Stages a new secret of an endpoint as read, beside the newest one, which ends after `validFor` seconds. One that was already expiring ends now.
 * @throws Problem `forbidden`
 */
export async function rotateSecret(
  tenant: Tenant,
  caller: Caller,
  before: Stored<StoredEndpoint>,
  validFor: number,
): Promise<Rotated> {
  const { id, secrets } = before.record;
  const confirmed = await confirm(tenant, caller, before.record, false);
  const secret = endpointSecrets.generate();
  const fresh = { sealed: await endpointSecrets.seal({ tenant, id }, secret), expires_at: null };
  const [newest] = secrets;
  const end = validFor === 0 ? null : Math.floor(tenant.session.now / 1000) + validFor;
  const previous: readonly EndpointSecret[] =
    end === null || newest === undefined ? [] : [{ ...newest, expires_at: end }];
  const stored = await stageChange(tenant, before, { secrets: [fresh, ...previous], confirmed });
  return { stored, secret, previousExpiresAt: end === null ? null : new Date(end * 1000).toISOString() };
}
