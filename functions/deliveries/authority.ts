import { includeAll } from '#identity';
import type { Credentials } from '#tenancy/credentials';
import type { StoredEndpoint } from '../webhook-endpoints/store.ts';

type Lapse = Extract<StoredEndpoint['status_reason'], 'integration_inactive' | 'tokens_ended' | 'more_permissions'>;

/**
 * Why an endpoint must wait for a live key to confirm it: what its integration may do is no longer what was confirmed. Fewer permissions are no
 * reason: those that there are decide which events it gets.
 */
export function lapseOf(
  { integration_id, confirmed }: Pick<StoredEndpoint, 'integration_id' | 'confirmed'>,
  credentials: Credentials | undefined,
): Lapse | undefined {
  if (credentials?.integration_id !== integration_id || credentials.status !== 'active') return 'integration_inactive';
  if ((credentials.token_epoch ?? 0) !== confirmed.token_epoch) return 'tokens_ended';
  return includeAll(confirmed.permissions, credentials.permissions) ? undefined : 'more_permissions';
}
