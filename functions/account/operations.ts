import { TOKEN_TIMES } from '#auth';
import { unauthorized } from '#contract';
import type { Operations } from '#http';
import { type Caller, mayDo } from '#identity';
import { entity, type Tenant } from '#table';
import { organizationEntity, readRequestCounts } from '#tenancy';
import { dateOf } from '../../shared/clock.ts';
import { catalogue } from '../access/catalogue.static.ts';
import { integrationEntity } from '../integrations/store.ts';
import { attachmentQuota } from '../tickets/attachments/limits.ts';
import { readBytes } from '../tickets/attachments/state/uploads.ts';
import { type account, PAGE_OF_INTEGRATIONS } from './contract.ts';
import { kinds } from './kinds.static.ts';

export const accountOperations: Operations<typeof account> = {
  getMe: async ({ caller, tenant, readLimits }) => {
    const [integration, organization, limits] = await Promise.all([
      tenant.records(integrationEntity).get(caller.integrationId),
      tenant.orgId === null ? null : tenant.records(organizationEntity).get(tenant.orgId),
      readLimits(),
    ]);
    if (integration === undefined || organization === undefined) throw unauthorized('The integration was deleted.');
    const { id, app_code, display_name } = integration.record;
    const { permissions } = caller;
    return {
      body: {
        integration: { id, app_code, display_name },
        organization: organization && nameOf(organization.record),
        permissions: permissions && [...permissions],
        effective_permissions: catalogue.map(({ code }) => code).filter((code) => mayDo(caller, code)),
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

const nameOf = ({ id, name, slug }: Record<'id' | 'name' | 'slug', string>) => ({ id, name, slug });

/** A token has its lifetime between the two. */
const tokenOf = ({ expiresAt }: Caller) => ({
  issued_at: timeOf(expiresAt - TOKEN_TIMES.lifetime),
  expires_at: timeOf(expiresAt),
});

const timeOf = (epochSeconds: number): string => new Date(epochSeconds * 1_000).toISOString();

/** After every date. */
const LAST = '9999-12-31';

const ONE = { page: 1, page_size: 1 } as const;

/** The total of a list as its first page tells it. */
async function totalOf(tenant: Tenant, { name, recordType: _, ...stored }: (typeof kinds)[number]): Promise<number> {
  return (await tenant.records(entity(name, stored)).page(ONE)).total;
}
