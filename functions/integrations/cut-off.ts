import { StaleRead, type Tenant } from '#table';
import { readCredentialsOf } from '#tenancy';
import { isPausedBy } from '../events/endpoints/authority.ts';
import { endpointEntity, type StoredEndpoint } from '../events/store.ts';
import { type Integration, MOST_PAUSED } from './contract.ts';

interface Change {
  readonly status?: Integration['status'] | undefined;
  readonly permissions?: Integration['permissions'] | undefined;
  /** Whether all tokens end. */
  readonly endsTokens: boolean;
}

/**
 * The ids of the webhook endpoints that a change of an integration pauses, of {@link MOST_PAUSED} at most. Workers
 * pause them (`functions/deliveries/`), also those that are confirmed while this is read.
 */
export async function endpointsPausedBy(
  tenant: Tenant,
  { app_code }: Integration,
  { endsTokens, status, permissions }: Change,
): Promise<string[]> {
  const reading = readCredentialsOf(tenant, app_code);
  const endpoints: StoredEndpoint[] = [];
  for await (const { record } of tenant.records(endpointEntity).all()) endpoints.push(record);
  const credentials = await reading;
  if (credentials === undefined) throw new StaleRead('the credentials were deleted');
  const after = {
    ...credentials,
    token_epoch: (credentials.token_epoch ?? 0) + (endsTokens ? 1 : 0),
    ...(status && { status }),
    ...(permissions !== undefined && { permissions }),
  };
  const paused = endpoints.filter((endpoint) => isPausedBy(endpoint, after));
  return paused.map(({ id }) => id).slice(0, MOST_PAUSED);
}
