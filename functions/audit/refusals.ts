import { setTimeout as sleep } from 'node:timers/promises';
import { logger } from '../../shared/logger.ts';
import { environmentSession, type Session } from '../../shared/table/session.ts';
import type { Credentials } from '../../shared/table/system/credentials.ts';
import { countRefusal } from '../../shared/table/system/refusals.ts';
import { Tenant } from '../../shared/table/tenant.ts';

/** The operation in the audit event of a refusal. */
export type Refused = 'login_refused' | 'signature_refused';

/** How long a response may wait for the audit event, in milliseconds. */
const TIMEOUT_MS = 1_000;

/**
 * Writes an audit event of a refused login or signature to the integration's tenant: for the first, second, fourth, eighth … refusal of one
 * integration in a day, so that nobody can fill the table with them. It has a unit of work of its own, for the request commits nothing. Best
 * effort: it never throws.
 */
export async function recordRefusal(request: Session, credentials: Credentials, what: Refused): Promise<void> {
  const session = environmentSession(TIMEOUT_MS, request.clock);
  session.origin = request.origin;
  session.actAs({ type: 'anonymous' }, what);
  const writing = record(Tenant.ofCredentials(credentials, session), credentials.integration_id, what).catch(
    async (error: unknown) => {
      logger.warn('the audit event of a refusal could not be written', { error: error as Error });
      await session.abandon(error);
    },
  );
  await Promise.race([writing, sleep(TIMEOUT_MS, undefined, { ref: false })]);
}

async function record(tenant: Tenant, integrationId: string, what: Refused): Promise<void> {
  const count = await countRefusal(tenant, what, integrationId);
  if (!isPowerOfTwo(count)) return;
  await tenant.trail('Integration').refused(integrationId, count);
  await tenant.session.commit();
}

const isPowerOfTwo = (count: number): boolean => Number.isInteger(Math.log2(count));
