import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '#contract/problem';
import type { Actor } from '#identity';
import { RequestSession, Tenant } from '#table';
import { logger } from '#telemetry';
import { countRefusal } from '#tenancy';
import type { Credentials } from '#tenancy/credentials';

/** The operation in the audit event of a refusal. */
export type Refused = 'login_refused' | 'signature_refused' | 'escalation_refused';

/** Who was refused which operation; absent for an anonymous caller. */
interface Attempt {
  readonly actor: Actor;
  /** Id of the operation. */
  readonly operation: string;
}

/** Whether an error refuses a known caller something that it may not do. */
export const isDenial = (error: unknown): boolean =>
  error instanceof Problem && (error.type === 'forbidden' || error.type === 'unauthorized');

/** How long a response may wait for the audit event, in milliseconds. */
const TIMEOUT_MS = 1_000;

/**
 * Writes an audit event of a refused login, signature or escalation to the integration's tenant: for the first, second, fourth, eighth … refusal
 * of one integration in a day, so that nobody can fill the table with them. It has a unit of work of its own, because the request commits nothing.
 * Best effort: it never throws.
 */
export async function recordRefusal(
  request: RequestSession,
  integration: Pick<Credentials, 'tenant' | 'integration_id'>,
  what: Refused,
  attempt?: Attempt,
): Promise<void> {
  const session = RequestSession.ofEnvironment(TIMEOUT_MS, request.clock);
  session.audit.origin = request.audit.origin;
  session.audit.actAs(attempt?.actor ?? { type: 'anonymous' }, what);
  const tenant = Tenant.ofCredentials(integration, session);
  const writing = record(tenant, integration.integration_id, what, attempt?.operation).catch(async (error: unknown) => {
    logger.warn('the audit event of a refusal could not be written', { error: error as Error });
    await session.abandon(error);
  });
  await Promise.race([writing, sleep(TIMEOUT_MS, undefined, { ref: false })]);
}

async function record(tenant: Tenant, integrationId: string, what: Refused, attempted?: string): Promise<void> {
  const count = await countRefusal(tenant, what, integrationId);
  if (!isPowerOfTwo(count)) return;
  await tenant.auditLog('Integration').refused(integrationId, count, attempted);
  await tenant.session.commit();
}

const isPowerOfTwo = (count: number): boolean => Number.isInteger(Math.log2(count));
