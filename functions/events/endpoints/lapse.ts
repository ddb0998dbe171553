import { includeAll } from '#identity';
import type { Credentials } from '#tenancy/credentials';
import type { Confirmed, ConfirmingKey, StoredEndpoint } from '../store.ts';

type Lapse = Extract<
  StoredEndpoint['status_reason'],
  'integration_inactive' | 'tokens_ended' | 'more_permissions' | 'confirmer_cut_off'
>;

const WRITE = 'webhook-endpoints:write';

/**
 * Why an endpoint must wait for a live key to confirm it: what its integration may do is no longer what was confirmed. Fewer permissions are no
 * reason: those that there are decide which events it gets. Or whose key confirmed it has been cut off, or could not do so any more.
 * @param confirming the credentials of that key, where it is another integration's
 */
export function lapseOf(
  { integration_id, confirmed }: Pick<StoredEndpoint, 'integration_id' | 'confirmed'>,
  credentials: Credentials | undefined,
  confirming?: Credentials | undefined,
): Lapse | undefined {
  if (credentials?.integration_id !== integration_id || credentials.status !== 'active') return 'integration_inactive';
  if ((credentials.token_epoch ?? 0) !== confirmed.token_epoch) return 'tokens_ended';
  if (!includeAll(confirmed.permissions, credentials.permissions)) return 'more_permissions';
  return confirmed.by === undefined || mayConfirm(confirmed, confirmed.by, confirming)
    ? undefined
    : 'confirmer_cut_off';
}

/** Whether an endpoint gets nothing more once an integration of its tenant has these credentials: its own, or whose key confirmed it. */
export function isPausedBy({ status, integration_id, confirmed }: StoredEndpoint, after: Credentials): boolean {
  if (status !== 'active' && status !== 'unverified') return false;
  if (integration_id === after.integration_id)
    return lapseOf({ integration_id, confirmed: without(confirmed) }, after) !== undefined;
  return confirmed.by?.integration_id === after.integration_id && !mayConfirm(confirmed, confirmed.by, after);
}

const without = ({ by: _, ...confirmed }: Confirmed): Confirmed => confirmed;

const mayConfirm = ({ permissions }: Confirmed, by: ConfirmingKey, credentials: Credentials | undefined): boolean =>
  credentials?.integration_id === by.integration_id &&
  credentials.status === 'active' &&
  (credentials.token_epoch ?? 0) === by.token_epoch &&
  includeAll(credentials.permissions, [WRITE]) &&
  includeAll(credentials.permissions, permissions);
