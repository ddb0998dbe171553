import { type FieldError, invalidField, Problem } from '#contract/problem';
import type { Caller } from '#identity';
import { type RequestSession, Tenant } from '#table';
import { isUuid } from '../../well-formed.ts';

/**
 * The tenant of a request: the caller's own, or the organization named by `org_id` in the query or the body. A caller of an organization may
 * name only its own; a platform caller may name any that exists.
 * @throws Problem `forbidden`, `not-found` (query), `reference-not-found` or `invalid-body` (body)
 */
export async function tenantOf(
  caller: Caller,
  session: RequestSession,
  query: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>> | undefined,
): Promise<Tenant> {
  const names = [nameIn('query', query), nameIn('body', body ?? {})].filter((name) => name !== undefined);
  const [named, second] = names;
  if (named === undefined) return Tenant.of(caller, session);

  const refused = names.find(({ orgId }) => Tenant.named(orgId, caller, session) === undefined);
  const tenant = Tenant.named(named.orgId, caller, session);
  if (refused !== undefined || tenant === undefined) {
    const { part } = refused ?? named;
    throw new Problem('forbidden', {
      detail: 'org_id names another organization than that of the token.',
      errors: [fieldError(part, 'must be the organization of the caller')],
    });
  }
  if (second !== undefined && second.orgId !== named.orgId) {
    throw new Problem('invalid-body', { errors: [fieldError('body', 'names another organization than the query')] });
  }
  if (caller.orgId === null && !(await tenant.exists())) {
    throw new Problem(named.part === 'query' ? 'not-found' : 'reference-not-found', {
      detail: 'org_id names an organization that does not exist.',
      errors: [fieldError(named.part, 'names an organization that does not exist')],
    });
  }
  return tenant;
}

/** The organization named in a body, also where `org_id` is read-only and a whole record was sent back. */
export function namedOrganization(json: unknown): { readonly org_id?: string } {
  const orgId = typeof json === 'object' && json !== null ? (json as { org_id?: unknown }).org_id : undefined;
  return typeof orgId === 'string' && isUuid(orgId) ? { org_id: orgId.toLowerCase() } : {};
}

type Part = 'query' | 'body';

const nameIn = (part: Part, fields: Readonly<Record<string, unknown>>): { part: Part; orgId: string } | undefined =>
  typeof fields.org_id === 'string' ? { part, orgId: fields.org_id } : undefined;

const fieldError = (part: Part, detail: string): FieldError => ({ in: part, pointer: '#/org_id', detail });

/**
 * For kinds of records that the platform may own: checks that a platform caller names the owner of a new record. The
 * owner is the organization named in query or body, or the platform for `org_id: null` in the body. So a forgotten
 * field does not accidentally create a record of the platform.
 * @throws Problem `invalid-body`
 */
export function requireNamedOwner(
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
  body: { readonly org_id?: string | null | undefined },
): void {
  if (caller.orgId !== null) return;
  const isInQuery = query.org_id !== undefined;
  if (body.org_id === undefined && !isInQuery) {
    throw invalidField('org_id', 'is required of a platform caller: an organization, or null for the platform');
  }
  if (body.org_id === null && isInQuery)
    throw invalidField('org_id', 'names the platform, and the query an organization');
}

/**
 * The organization that a record of this tenant belongs to.
 * @throws Problem `invalid-body` when a platform caller has named none
 */
export function organizationOf(tenant: Tenant): string {
  if (tenant.orgId === null) throw invalidField('org_id', 'is required of a platform caller');
  return tenant.orgId;
}
