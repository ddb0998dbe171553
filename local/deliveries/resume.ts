import { RequestSession, StaleRead, Tenant } from '#table';
import { allRegistered } from '../../functions/events/state/register.ts';
import { stageFreshStart } from '../../functions/events/state/state.ts';

/**
 * Ends what an earlier process has left: the leases of its workers, and what they wait for after failures. So a start
 * delivers at once. If another process delivers from the same table, its next event comes twice.
 */
export async function resumeDeliveries(): Promise<void> {
  const registered = await allRegistered(RequestSession.ofEnvironment(Number.POSITIVE_INFINITY));
  for (const { tenant, endpointId } of registered) {
    const session = RequestSession.ofEnvironment(Number.POSITIVE_INFINITY);
    stageFreshStart(Tenant.ofOperator(tenant, session), endpointId);
    await session.commit().catch((error: unknown) => {
      // The endpoint was deleted, and the register has it still.
      if (!(error instanceof StaleRead)) throw error;
    });
  }
}
