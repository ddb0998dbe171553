import { TOKEN_TIMES } from '#auth';
import { unauthorized } from '#contract';
import type { Operations } from '#http';
import { type Caller, type IntegrationCaller, mayDo, type UserCaller } from '#identity';
import { entity, type Tenant } from '#table';
import { organizationEntity, readRequestCounts } from '#tenancy';
import { dateOf } from '../../shared/clock.ts';
import { codes } from '../access/codes.static.ts';
import { userEntity } from '../access/store.ts';
import { integrationEntity } from '../integrations/store.ts';
import { attachmentQuota } from '../tickets/attachments/limits.ts';
import { readBytes } from '../tickets/attachments/state/uploads.ts';
import { type account, PAGE_OF_INTEGRATIONS } from './contract.ts';
import { kinds } from './kinds.static.ts';

export const accountOperations: Operations<typeof account> = {
  getMe: async ({ caller, tenant, readLimits }) => {
    const [who, organization, limits] = await Promise.all([
      caller.type === 'user' ? userOf(tenant, caller) : integrationOf(tenant, caller),
      tenant.orgId === null ? null : tenant.records(organizationEntity).get(tenant.orgId),
      readLimits(),
    ]);
    if (who === undefined || organization === undefined) throw unauthorized(`The ${caller.type} was deleted.`);
    const { permissions } = caller;
    return {
      body: {
        ...who,
        organization: organization && nameOf(organization.record),
        permissions: permissions && [...permissions],
        effective_permissions: codes.filter((code) => mayDo(caller, code)),
        limits: [...limits],
        token: tokenOf(caller),
      },
    };
  },

  getUsage: async ({ tenant, query: { integration_id: integrationId, after, from = '', to = LAST } }) => {
    const [records, bytes, { integrations, deliveries, next }] = await Promise.all([
      Promise.all(kinds.map(async (kind) => ({ record_type: kind.recordType, total: await totalOf(tenant, kind) }))),
      readBytes(tenant),
      readRequestCounts(tenant, { integrationId, after, limit: PAGE_OF_INTEGRATIONS }),
    ]);
    const daysOf = (days: typeof deliveries) =>
      days
        .map(({ day, requests }) => ({ date: dateOf(day), requests }))
        .filter(({ date }) => from <= date && date <= to);
    const requests = integrations
      .map(({ integrationId: integration_id, days }) => ({ integration_id, days: daysOf(days) }))
      .filter(({ days }) => days.length > 0);
    const charged = daysOf(deliveries).map(({ date, requests: parts }) => ({ date, charged: Math.ceil(parts) }));
    const attachments = { bytes, limit: attachmentQuota() };
    return { body: { records, attachments, requests, deliveries: charged }, next };
  },
};

async function integrationOf(tenant: Tenant, { id }: IntegrationCaller) {
  const found = await tenant.records(integrationEntity).get(id);
  if (found === undefined) return undefined;
  const { app_code, display_name } = found.record;
  return { integration: { id, app_code, display_name }, user: null };
}

async function userOf(tenant: Tenant, { id, providerId, clientPermissions }: UserCaller) {
  const found = await tenant.records(userEntity).get(id);
  if (found === undefined) return undefined;
  const { name, email } = found.record;
  const clients = Array.from(clientPermissions, ([client_id, codes]) => ({ client_id, permissions: [...codes] }));
  return { integration: null, user: { id, name, email, identity_provider_id: providerId, clients } };
}

const nameOf = ({ id, name, slug }: Record<'id' | 'name' | 'slug', string>) => ({ id, name, slug });

/** A token of an integration has its lifetime between the two; that of a user may end earlier. */
const tokenOf = (caller: Caller) => ({
  issued_at: timeOf(caller.type === 'user' ? caller.issuedAt : caller.expiresAt - TOKEN_TIMES.lifetime),
  expires_at: timeOf(caller.expiresAt),
});

const timeOf = (epochSeconds: number): string => new Date(epochSeconds * 1_000).toISOString();

/** After every date. */
const LAST = '9999-12-31';

const ONE = { page: 1, page_size: 1 } as const;

/** The total of a list as its first page tells it. */
async function totalOf(tenant: Tenant, { name, recordType: _, ...stored }: (typeof kinds)[number]): Promise<number> {
  return (await tenant.records(entity(name, stored)).page(ONE)).total;
}
