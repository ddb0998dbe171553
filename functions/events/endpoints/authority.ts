import { Problem } from '#contract/problem';
import { noSuchRecord, requireLivePermissions } from '#http';
import type { Caller } from '#identity';
import { StaleRead, type Tenant } from '#table';
import { type Credentials, readCredentialsOf, requireCredentials } from '#tenancy/credentials';
import { checkReach } from '../../integrations/grants.ts';
import { integrationEntity } from '../../integrations/store.ts';
import type { Confirmed, StoredEndpoint } from '../store.ts';

/**
 * The power of an endpoint is that of its integration (`docs/decisions/0201-events.md`): whoever says where its events go, which and from where on
 * reads with that integration's permissions. So that needs a live key with all of them, and confirms them anew.
 */

type Owner = Pick<StoredEndpoint, 'integration_id' | 'app_code'>;

/**
 * The integration that a new endpoint belongs to: the caller, or the one that it names.
 * @throws Problem `invalid-body` or `reference-not-found`
 */
export async function ownerFor(tenant: Tenant, caller: Caller, named: string | undefined): Promise<Owner> {
  const isOfTenant = caller.orgId === tenant.orgId;
  if (isOfTenant && (named ?? caller.integrationId) === caller.integrationId)
    return { integration_id: caller.integrationId, app_code: caller.appCode };
  if (named === undefined) {
    throw new Problem('invalid-body', {
      errors: [
        {
          in: 'body',
          pointer: '#/integration_id',
          detail: 'is required of a platform caller: an integration of the organization',
        },
      ],
    });
  }
  const integration = await tenant.records(integrationEntity).get(named);
  if (integration === undefined) throw noSuchRecord('integration_id', 'names no integration of the organization')();
  return { integration_id: named, app_code: integration.record.app_code };
}

/**
 * Checks that the caller has all permissions of an endpoint's integration, and stages the conditions that its credentials are live at commit, and
 * that those of the integration are as they are confirmed.
 * @param mustBeActive for what makes or keeps the endpoint active
 * @throws Problem `forbidden`, or `conflict` for an integration that is inactive; StaleRead
 */
export async function confirm(
  tenant: Tenant,
  caller: Caller,
  { integration_id, app_code }: Owner,
  mustBeActive: boolean,
): Promise<Confirmed> {
  const credentials = await readCredentialsOf(tenant, app_code);
  if (credentials === undefined) throw new StaleRead('the credentials were deleted');
  checkReach(caller, credentials);
  if (mustBeActive && credentials.status !== 'active')
    throw new Problem('conflict', {
      detail: 'The integration of the endpoint is inactive: nothing is delivered for it.',
    });
  requireLivePermissions(tenant, caller, 'webhook-endpoints:write', credentials.permissions);
  requireAsRead(tenant, integration_id, credentials);
  return {
    token_epoch: credentials.token_epoch ?? 0,
    permissions: credentials.permissions,
    ...confirmingKey(tenant, caller, integration_id),
  };
}

/** The key of another integration of the tenant: when it is cut off, so is what it has confirmed. */
const confirmingKey = (tenant: Tenant, caller: Caller, owner: string): Pick<Confirmed, 'by'> =>
  caller.orgId !== tenant.orgId || caller.integrationId === owner
    ? {}
    : { by: { integration_id: caller.integrationId, app_code: caller.appCode, token_epoch: caller.tokenEpoch } };

/** Stages the condition that credentials are still as they were read. */
function requireAsRead(
  tenant: Tenant,
  integration_id: string,
  { app_code, status, permissions, token_epoch }: Credentials,
): void {
  const owner = { orgId: tenant.orgId, appCode: app_code };
  const asRead = { exists: true, equals: { integration_id, status, permissions, token_epoch } };
  requireCredentials(tenant, owner, asRead, () => new StaleRead('the credentials of the integration have changed'));
}
