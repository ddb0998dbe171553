import { type RequestSession, Tenant } from '#table';
import { organizationList } from '#tenancy';

/** Tenants that are handled in parallel. */
const AT_ONCE = 50;

/**
 * Finishes the pending cascade deletes of the platform and of all organizations, as long as the session has time. Only
 * for local installations: in AWS no session has access to several tenants.
 */
export async function finishCascadeDeletes(session: RequestSession): Promise<void> {
  const platform = Tenant.ofPlatform(session);
  let tenants = [platform];
  for await (const { record } of organizationList(platform).all()) {
    if (tenants.push(Tenant.ofOperator(record.id, session)) < AT_ONCE) continue;
    await finish(tenants);
    tenants = [];
  }
  await finish(tenants);
}

const finish = (tenants: readonly Tenant[]) => Promise.all(tenants.map((tenant) => tenant.finishCascadeDeletes()));
