import * as z from 'zod';
import { RequestSession, Tenant } from '#table';
import { OperatorProblem } from './problem.ts';

/** Deadline of the first reads. */
const TIMEOUT_MS = 10_000;

/**
 * The tenant that `--org` names.
 * @throws OperatorProblem when it is neither an id nor `platform`
 */
export function tenantIdIn(org: string): string {
  if (org.toLowerCase() === 'platform') return 'PLATFORM';
  const id = idIn(org);
  if (id === undefined) throw new OperatorProblem('--org must be the id of an organization, or "platform".');
  return id;
}

/**
 * The organization that `--org` names.
 * @throws OperatorProblem when it is no id
 */
export function organizationIdIn(org: string): string {
  const id = idIn(org);
  if (id === undefined) throw new OperatorProblem('--org must be the id of an organization.');
  return id;
}

const idIn = (org: string): string | undefined => z.guid().toLowerCase().safeParse(org).data;

/**
 * A handle to an existing tenant, for commands that read.
 * @throws OperatorProblem when there is none
 */
export async function openTenant(id: string, timeoutMs = TIMEOUT_MS): Promise<Tenant> {
  const tenant = Tenant.ofOperator(id, RequestSession.ofEnvironment(timeoutMs));
  await requireExisting(tenant);
  return tenant;
}

/** @throws OperatorProblem when there is no such organization */
export async function requireExisting(tenant: Tenant): Promise<void> {
  if (!(await tenant.exists())) throw new OperatorProblem(`There is no organization ${tenant.id}.`);
}
