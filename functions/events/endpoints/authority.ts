import { Problem } from '#contract';
import { checkReach, noSuchRecord, requireLivePermissions } from '#http';
import { type Caller, type IntegrationCaller, includeAll } from '#identity';
import { entity, StaleRead, type Tenant } from '#table';
import { type Credentials, readCredentialsOf, requireCredentials } from '#tenancy';
import type { Confirmed, ConfirmingKey, StoredEndpoint } from '../store.ts';

/**
 * What an endpoint gets is what its integration may read (`docs/decisions/0201-events.md`). So whoever says where its
 * events go, which, and from where on, needs a live key with all permissions of that integration, and confirms them.
 */

type Owner = Pick<StoredEndpoint, 'integration_id' | 'app_code'>;

const WRITE = 'webhook-endpoints:write';

/** What this needs of integrations. Their own domain knows endpoints: keys that end pause them. */
const integrations = entity<{ readonly id: string; readonly app_code: string }>('INTEGRATION');

/**
 * The integration that a new endpoint belongs to: the caller, or the one that it names.
 * @throws Problem `invalid-body` or `reference-not-found`
 */
export async function ownerFor(tenant: Tenant, by: Caller, named: string | undefined): Promise<Owner> {
  const caller = requireKey(by);
  const isOfTenant = caller.orgId === tenant.orgId;
  if (isOfTenant && (named ?? caller.integrationId) === caller.integrationId)
    return { integration_id: caller.integrationId, app_code: caller.appCode };
  if (named === undefined) {
    const detail = 'is required of a platform caller: an integration of the organization';
    throw new Problem('invalid-body', { errors: [{ in: 'body', pointer: '#/integration_id', detail }] });
  }
  const integration = await tenant.records(integrations).get(named);
  if (integration === undefined) throw noSuchRecord('integration_id', 'names no integration of the organization')();
  return { integration_id: named, app_code: integration.record.app_code };
}

/**
 * Checks that the caller has all permissions of an endpoint's integration. Stages the conditions that the caller's
 * credentials are live at the commit, and that those of the integration are as they are confirmed.
 * @param mustBeActive for what makes or keeps the endpoint active
 * @throws Problem `forbidden`, or `conflict` for an integration that is inactive; StaleRead
 */
export async function confirm(
  tenant: Tenant,
  caller: Caller,
  { integration_id, app_code }: Owner,
  mustBeActive: boolean,
): Promise<Confirmed> {
  const key = requireKey(caller);
  const credentials = await readCredentialsOf(tenant, app_code);
  if (credentials === undefined) throw new StaleRead('the credentials were deleted');
  checkReach(caller, credentials);
  const { status, permissions, token_epoch } = credentials;
  if (mustBeActive && status !== 'active')
    throw new Problem('conflict', {
      detail: 'The integration of the endpoint is inactive: nothing is delivered for it.',
    });
  requireLivePermissions(tenant, caller, WRITE, permissions);
  requireCredentials(
    tenant,
    { orgId: tenant.orgId, appCode: credentials.app_code },
    { exists: true, equals: { integration_id, status, permissions, token_epoch } },
    () => new StaleRead('the credentials of the integration have changed'),
  );
  return { token_epoch: token_epoch ?? 0, permissions, ...confirmingKey(tenant, key, integration_id) };
}

/**
 * Deliveries end with the key that has confirmed them. They know of no user, so what a user confirmed would go on after
 * it has left.
 * @throws Problem `forbidden` for a user
 */
function requireKey(caller: Caller): IntegrationCaller {
  if (caller.type === 'integration') return caller;
  throw new Problem('forbidden', {
    detail: 'Only an integration says where events go: they go there for as long as its key lives.',
  });
}

/** The key of another integration of the tenant: when it is cut off, so is what it has confirmed. */
const confirmingKey = (tenant: Tenant, caller: IntegrationCaller, owner: string): Pick<Confirmed, 'by'> =>
  caller.orgId !== tenant.orgId || caller.integrationId === owner
    ? {}
    : { by: { integration_id: caller.integrationId, app_code: caller.appCode, token_epoch: caller.tokenEpoch } };

type Lapse = Extract<
  StoredEndpoint['status_reason'],
  'integration_inactive' | 'tokens_ended' | 'more_permissions' | 'confirmer_cut_off'
>;

/**
 * Why an endpoint must wait for a live key to confirm it: its integration may do more than was confirmed, or the key
 * that confirmed it could not do so any more. Fewer permissions are no reason: those that are left decide which events
 * it gets.
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

/** Whether an endpoint is paused once its integration, or the one whose key confirmed it, has these credentials. */
export function isPausedBy({ status, integration_id, confirmed }: StoredEndpoint, after: Credentials): boolean {
  if (status !== 'active' && status !== 'unverified') return false;
  const { by, ...confirmedItself } = confirmed;
  if (integration_id === after.integration_id)
    return lapseOf({ integration_id, confirmed: confirmedItself }, after) !== undefined;
  return by?.integration_id === after.integration_id && !mayConfirm(confirmed, by, after);
}

const mayConfirm = ({ permissions }: Confirmed, by: ConfirmingKey, credentials: Credentials | undefined): boolean =>
  credentials?.integration_id === by.integration_id &&
  credentials.status === 'active' &&
  (credentials.token_epoch ?? 0) === by.token_epoch &&
  includeAll(credentials.permissions, [WRITE]) &&
  includeAll(credentials.permissions, permissions);
