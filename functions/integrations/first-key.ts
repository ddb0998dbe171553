import { randomUUID } from 'node:crypto';
import { Problem, unauthorized } from '#contract';
import { type RequestSession, Tenant } from '#table';
import { readSuspension, stageOrganization } from '#tenancy';
import { ownSlugOf } from '../orgs/slug.ts';

/**
 * The first key (`docs/decisions/0006`): where the stage allows it (`FIRST_KEY=on`), an anonymous caller may register
 * the first integration of an organization that does not exist yet, which creates the organization. For an existing
 * organization, and for the platform, an anonymous caller gets the usual 401.
 */

/** Off by default; only the exact value `on` turns it on. */
export const isFirstKeyOn = (): boolean => process.env.FIRST_KEY === 'on';

interface NewOrganization {
  readonly org_id?: string | null | undefined;
  readonly app_code: string;
  readonly display_name: string;
}

/**
 * Stages the organization of a first key.
 * @param query in which only callers with a token may name an organization
 * @returns its tenant
 * @throws Problem `invalid-parameter`; `unauthorized`, here or at the commit
 */
export async function newOrganization(
  { org_id, app_code, display_name }: NewOrganization,
  query: Readonly<Record<string, unknown>>,
  session: RequestSession,
): Promise<Tenant> {
  if (query.org_id !== undefined) {
    throw new Problem('invalid-parameter', {
      errors: [{ in: 'query', pointer: '#/org_id', detail: 'is for callers with a token: name it in the body' }],
    });
  }
  if (!isFirstKeyOn() || org_id === null) throw unauthorized();
  const id = org_id ?? randomUUID();
  const tenant = Tenant.ofNewOrganization(id, session);
  // Checked first, so that an anonymous caller changes nothing in an existing organization, not even the counter item
  // of a list.
  const [exists, suspension] = await Promise.all([tenant.exists(), readSuspension(tenant)]);
  // One that was erased does not exist again.
  if (exists || suspension !== undefined) throw unauthorized();
  const fields = { name: display_name, slug: ownSlugOf(app_code, id), settings: {} };
  await stageOrganization(tenant, fields, () => unauthorized());
  return tenant;
}
