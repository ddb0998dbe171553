import type { Caller } from '../../shared/auth/caller.ts';
import { Problem } from '../../shared/contract/problem.ts';
import { answerPage, answerRecord, type Operations } from '../../shared/http/operation.ts';
import { tenantOf } from '../../shared/http/tenancy.ts';
import { changesOf, isEmpty } from '../../shared/table/changes.ts';
import { stageCredentialsChange } from '../../shared/table/credentials.ts';
import type { Session } from '../../shared/table/session.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import type { integrations } from './contract.ts';
import { newOrganization } from './first-key.ts';
import { registerIntegration } from './register.ts';
import { integrationEntity } from './store.ts';

export const integrationOperations: Operations<typeof integrations> = {
  listIntegrations: async ({ query, tenant }) => {
    const page = await tenant.records(integrationEntity).page({ ...query, filter: { status: query.status } });
    return answerPage(page, query);
  },

  createIntegration: async ({ body, caller, session }) => {
    const { org_id, ...fields } = body;
    const tenant =
      caller === undefined
        ? await newOrganization({ org_id, display_name: body.display_name }, session)
        : await tenantFor(caller, org_id, session);
    const { stored, secret } = await registerIntegration(tenant, fields);
    // No entity tag: it would be made from the secret too, and fit no later answer.
    return { body: { ...stored.record, secret }, headers: { 'Cache-Control': 'no-store' } };
  },

  getIntegration: async ({ params, tenant, find }) =>
    answerRecord(await find(tenant.records(integrationEntity), params.id)),

  updateIntegration: async ({ params, body, tenant, session, find }) => {
    const records = tenant.records(integrationEntity);
    const before = await find(records, params.id);
    const changes = changesOf(before.record, body);
    if (isEmpty(changes)) return answerRecord(before);
    const after = await records.update(before, changes);
    if (changes.status !== undefined) stageCredentialsChange(session, before.record, { status: changes.status });
    return answerRecord(after);
  },
};

/**
 * The tenant in which a caller registers an integration: its own, or the one it names. Null names the platform.
 * @throws Problem `forbidden`, or `invalid-body` when there is no such organization
 */
async function tenantFor(caller: Caller, orgId: string | null | undefined, session: Session): Promise<Tenant> {
  if (orgId === null && caller.orgId !== null) {
    throw new Problem('forbidden', {
      errors: [{ in: 'body', pointer: '#/org_id', detail: 'must be the organization of the caller' }],
    });
  }
  return tenantOf(caller, session, {}, { org_id: orgId });
}
