import { randomUUID } from 'node:crypto';
import { isFirstKeyOn } from '../../shared/auth/first-key.ts';
import { Problem } from '../../shared/contract/problem.ts';
import type { Session } from '../../shared/table/session.ts';
import { stageOrganization } from '../../shared/table/system/organizations.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { slugOf } from '../orgs/slug.ts';

/**
 * The first key (`docs/decisions/0013`): without a token one may register the first integration of an organization that does not exist yet, and so
 * create it, where the stage allows that (`FIRST_KEY=on`). Nothing else: for an organization that exists, and for the platform,
 * an anonymous caller gets the 401 of a call without a token.
 */

interface Asked {
  readonly org_id?: string | null | undefined;
  readonly display_name: string;
}

/**
 * Stages the organization of a first key.
 * @returns the handle to its data
 * @throws Problem `unauthorized`, here or at the commit
 */
export async function newOrganization({ org_id, display_name }: Asked, session: Session): Promise<Tenant> {
  if (!isFirstKeyOn() || org_id === null) throw unauthorized();
  const tenant = Tenant.ofNewOrganization(org_id ?? randomUUID(), session);
  // Asked first, so that an anonymous caller leaves no trace in an organization that exists, not even a number taken in its lists.
  if (await tenant.exists()) throw unauthorized();
  const fields = { name: display_name, slug: slugOf(display_name), settings: {} };
  await stageOrganization(tenant, fields, unauthorized);
  return tenant;
}

/** To the letter what the gateway answers where no anonymous caller is let through. */
const unauthorized = (): Problem => new Problem('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
