import { Problem } from '#contract';
import {
  checkGrant,
  checkReach,
  type Operations,
  pagesOf,
  requireLivePermissions,
  requireNamedOwner,
  respond,
  tenantOf,
} from '#http';
import type { Caller } from '#identity';
import { changesOf, NotUnique, type RequestSession, type Tenant } from '#table';
import { stageTokensEnd } from '#tenancy';
import { requireKnown } from '../access/privileges.ts';
import { changeIntegration, onlyRemovesPermissions } from './change.ts';
import type { Integration, integrations } from './contract.ts';
import { endpointsPausedBy } from './cut-off.ts';
import { newOrganization } from './first-key.ts';
import { checkRateLimit, rateLimitOfNew, requireRateLimit } from './rate-limit.ts';
import { registerIntegration } from './register.ts';
import { rotateSecret } from './rotate.ts';
import { integrationEntity } from './store.ts';

const WRITE = 'integrations:write';

export const integrationOperations: Operations<typeof integrations> = {
  listIntegrations: pagesOf(integrationEntity),

  createIntegration: async ({ query, body, caller, session }) => {
    const { org_id, ...fields } = body;
    requireKnown(fields.permissions);
    const rate_limit = rateLimitOfNew(caller, fields.rate_limit);
    const tenant =
      caller === undefined
        ? await newOrganization(body, query, session)
        : await tenantFor(caller, query, body, session);
    if (caller !== undefined) checkCreation(tenant, caller, fields);
    const { stored, secret } = await registerIntegration(tenant, { ...fields, rate_limit }, caller ?? 'anonymous');
    // No entity tag: it would include the secret, and match no later response.
    return { body: { ...stored.record, secret }, headers: { 'Cache-Control': 'no-store' } };
  },

  getIntegration: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(integrationEntity), params.id)),

  updateIntegration: async ({ params, body, tenant, caller, requireBudget, getOrThrow }) => {
    const records = tenant.records(integrationEntity);
    const before = await getOrThrow(records, params.id);
    checkRateLimit(caller, before.record.rate_limit, body.rate_limit);
    const changes = changesOf(before.record, body);
    if (changes === undefined) return respond.record(before);
    if (!onlyRemovesPermissions(before.record, changes)) requireBudget();
    const { status, permissions } = changes;
    const { after, ended } = await changeIntegration(tenant, caller, before, changes);
    const paused =
      status === 'inactive' || permissions !== undefined
        ? await endpointsPausedBy(tenant, before.record, { ...changes, endsTokens: status === 'inactive' })
        : [];
    // No entity tag, as for a new integration: it would include what only this response contains.
    return ended.ended_secrets === undefined && paused.length === 0
      ? respond.record(after)
      : {
          body: { ...after.record, ...ended, ...(paused.length > 0 && { paused_endpoints: paused }) },
          headers: { 'Cache-Control': 'no-store' },
        };
  },

  rotateSecret: async ({ params, body, tenant, caller, getOrThrow }) => {
    const { record } = await getOrThrow(tenant.records(integrationEntity), params.id);
    const { secret, previousExpiresAt } = await rotateSecret(tenant, caller, record, body);
    const endsTokens = body.previous_valid_for === 0;
    const paused_endpoints = endsTokens ? await endpointsPausedBy(tenant, record, { endsTokens }) : [];
    return {
      body: { ...record, secret, previous_expires_at: previousExpiresAt, paused_endpoints },
      headers: { 'Cache-Control': 'no-store' },
    };
  },

  revokeTokens: async ({ params, tenant, caller, getOrThrow }) => {
    const { record } = await getOrThrow(tenant.records(integrationEntity), params.id);
    checkReach(caller, record);
    requireLivePermissions(tenant, caller, WRITE, record.permissions);
    stageTokensEnd(tenant, record, { permissions: record.permissions });
    const [paused_endpoints] = await Promise.all([
      endpointsPausedBy(tenant, record, { endsTokens: true }),
      tenant.auditLog('Integration').changed(record.id, ['tokens']),
    ]);
    return { body: { ...record, paused_endpoints } };
  },
};

/**
 * Checks that the caller may create an integration, and stages the conditions on its credentials.
 * @throws Problem `forbidden`; NotUnique
 */
function checkCreation(tenant: Tenant, caller: Caller, fields: Pick<Integration, 'app_code' | 'permissions'>): void {
  checkGrant(caller, fields.permissions);
  // One transaction cannot both check the caller's credentials and put the same item.
  if (caller.type === 'integration' && fields.app_code === caller.appCode) throw new NotUnique('app_code');
  requireLivePermissions(tenant, caller, WRITE, fields.permissions);
  if (caller.orgId !== null) requireRateLimit(tenant, caller);
}

/**
 * The tenant in which a caller registers an integration: its own, or the one that it names. Null is the platform.
 * @throws Problem `forbidden`, `not-found` or `invalid-body`
 */
async function tenantFor(
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
  body: { readonly org_id?: string | null | undefined },
  session: RequestSession,
): Promise<Tenant> {
  if (body.org_id === null && caller.orgId !== null) {
    throw new Problem('forbidden', {
      detail: 'Only a platform caller may make keys of the platform.',
      errors: [{ in: 'body', pointer: '#/org_id', detail: 'must be the organization of the caller' }],
    });
  }
  requireNamedOwner(caller, query, body);
  return tenantOf(caller, session, query, body);
}
