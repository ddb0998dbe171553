import { setTimeout as sleep } from 'node:timers/promises';
import { logger } from '../../shared/logger.ts';
import { environmentSession, type Session } from '../../shared/table/session.ts';
import type { Credentials } from '../../shared/table/system/credentials.ts';
import { countRefusal } from '../../shared/table/system/refusals.ts';
import { Tenant } from '../../shared/table/tenant.ts';

/** What is refused to whoever tries to be an integration. */
export type Refused = 'login_refused' | 'signature_refused';

/** How long an answer may wait for its event, in milliseconds. */
const TIMEOUT_MS = 1_000;

/**
 * Leaves in the trail of an integration's tenant that a login or a signature was refused: of each day's refusals of one integration the
 * first, the second, the fourth, the eighth …, so that nobody can fill a table with them. A unit of work of its own, for the request
 * commits nothing. It never fails: a refusal is a refusal whether it was written down or not.
 */
export async function recordRefusal(request: Session, credentials: Credentials, what: Refused): Promise<void> {
  const session = environmentSession(TIMEOUT_MS, request.clock);
  session.origin = request.origin;
  session.actAs({ type: 'anonymous' }, what);
  const writing = record(Tenant.ofCredentials(credentials, session), credentials.integration_id, what).catch(
    async (error: unknown) => {
      logger.warn('a refusal could not be written down', { error: error as Error });
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
