import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type Route } from '#contract';
import { type Actor, actorOf, type Caller } from '#identity';
import { type RequestSession, Tenant } from '#table';
import { logger } from '#telemetry';
import { type Credentials, countRefusal } from '#tenancy';

/** The operation in the audit event of a refusal. */
type Refused = 'login_refused' | 'signature_refused' | 'escalation_refused';

/** Who was refused which operation; absent for an anonymous caller. */
interface Attempt {
  readonly actor: Actor;
  /** Id of the operation. */
  readonly operation: string;
}

/** How long a response may wait for the audit event, in milliseconds. */
const TIMEOUT_MS = 1_000;

/**
 * Writes an audit event of a refused login, signature or escalation to the tenant of the integration or user: for its
 * first, second, fourth, eighth … refusal in a day, so that nobody can fill the table with them. It has a unit of work
 * of its own, because the request commits nothing. Best effort: it never throws.
 */
export async function recordRefusal(
  request: RequestSession,
  integration: Pick<Credentials, 'tenant' | 'integration_id'>,
  what: Refused,
  attempt?: Attempt,
): Promise<void> {
  const session = request.beside(TIMEOUT_MS);
  session.audit.actAs(attempt?.actor ?? { type: 'anonymous' }, what);
  const tenant = Tenant.ofCredentials(integration, session);
  const writing = record(tenant, integration.integration_id, what, attempt).catch(async (error: unknown) => {
    logger.warn('the audit event of a refusal could not be written', { error: error as Error });
    await session.abandon(error);
  });
  await Promise.race([writing, sleep(TIMEOUT_MS, undefined, { ref: false })]);
}

/**
 * Leaves an audit event when an error refuses a known caller a privileged operation: it lacks permissions, or its token
 * has ended and the gateway still accepts it. Sampled like refused logins (`docs/decisions/0075-audit-events.md`). It
 * never throws.
 */
export async function recordEscalation(
  session: RequestSession,
  caller: Caller,
  { operationId, route }: { readonly operationId: string; readonly route: Route },
  error: unknown,
): Promise<void> {
  if (!route.privileged || !isDenial(error)) return;
  const integration = { tenant: Tenant.of(caller, session).id, integration_id: caller.id };
  const attempt = { actor: actorOf(caller), operation: operationId };
  await recordRefusal(session, integration, 'escalation_refused', attempt);
}

const isDenial = (error: unknown): boolean =>
  error instanceof Problem && (error.type === 'forbidden' || error.type === 'unauthorized');

async function record(tenant: Tenant, id: string, what: Refused, attempt?: Attempt): Promise<void> {
  const count = await countRefusal(tenant, what, id);
  if (!isPowerOfTwo(count)) return;
  const refused = attempt?.actor.type === 'user' ? 'User' : 'Integration';
  await tenant.auditLog(refused).refused(id, count, attempt?.operation);
  await tenant.session.commit();
}

const isPowerOfTwo = (count: number): boolean => Number.isInteger(Math.log2(count));
