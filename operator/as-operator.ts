import { runToCommit } from '#http';
import { RequestSession, type Tenant } from '#table';

/** Deadline of all reads and writes of a change. */
const TIMEOUT_MS = 10_000;

/**
 * Runs a change of a tenant and commits it. It runs again from the start when something that it read has changed
 * meanwhile.
 * @param operation its name in audit events
 */
export function asOperator<T>(
  operation: string,
  open: (session: RequestSession) => Tenant,
  change: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const session = RequestSession.ofEnvironment(TIMEOUT_MS);
  session.audit.origin = { actor: { type: 'operator' }, operation, requestId: null, sourceAddress: null };
  return runToCommit(session, () => change(open(session)));
}
