import { runToCommit } from '../shared/http/run.ts';
import { environmentSession, type Session } from '../shared/table/session.ts';
import type { Tenant } from '../shared/table/tenant.ts';

/** For all reads and writes of a change, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** A session with the table in which the operator changes something. `operation`: its name in audit events. */
export function operatorSession(operation: string, timeoutMs = TIMEOUT_MS): Session {
  const session = environmentSession(timeoutMs);
  session.origin = { actor: { type: 'operator' }, operation, requestId: null, sourceAddress: null };
  return session;
}

/** Runs a change of a tenant and commits it; again from the start when something that it read has changed meanwhile. */
export function asOperator<T>(
  operation: string,
  open: (session: Session) => Tenant,
  change: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const session = operatorSession(operation);
  return runToCommit(session, () => change(open(session)));
}
