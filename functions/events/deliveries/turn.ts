import { randomUUID } from 'node:crypto';
import { Tenant } from '#table';
import { metered } from '#telemetry';
import { DeliveryBudget } from '#tenancy';
import * as leases from '../state/lease.ts';
import type { Registration } from '../state/register.ts';
import { EXPIRED, isAssignment, readAssignment, stopEndpoint } from './assignment.ts';
import { LeasedTurn } from './leased-turn.ts';
import { type NextTurn, type Ports, secondsOf, WHEN_WOKEN } from './ports.ts';

/**
 * A worker's turn at an endpoint: it delivers what is in the journal from the endpoint's cursor on, in order.
 *
 *     read the assignment ─▶ none: nothing, or the endpoint is stopped
 *      │    ▲                 of an unverified endpoint: a ping, and the assignment is read again
 *      ▼    └────────────── 5 s later, or at the end of a page
 *     read a page ─▶ call ─▶ delivered ─▶ the cursor moves ─▶ next call
 *                     │       refused ──▶ one by one; one event five times: skipped, the cursor moves
 *                     │       failed ───▶ the turn ends, the same events are sent again later
 *                     │       gone ─────▶ the endpoint is disabled
 *                     └──── 20 s are over, or the call was slow: the turn ends, there is another one
 *     budget is spent ─▶ the turn ends, there is another one when it is not
 *     end of the journal ─▶ the turn ends, unless somebody has woken this worker meanwhile
 *     open number ────────▶ the turn ends, there is another one when it is overdue
 *
 * @param endpoints of the tenant, which have a share each of its delivery budget
 * @throws TableUnavailable, what opening a secret throws, or what the queue throws
 */
export const turn = (registration: Registration, ports: Ports, endpoints = 1): Promise<NextTurn> =>
  metered(async (units) => {
    const budget = new DeliveryBudget(() => Tenant.ofRegistered(registration, ports.open()), endpoints, units);
    try {
      return await beginTurn(registration, ports, budget);
    } finally {
      budget.charge(0);
    }
  });

async function beginTurn(registration: Registration, ports: Ports, budget: DeliveryBudget): Promise<NextTurn> {
  const tenant = Tenant.ofRegistered(registration, ports.open());
  const found = await readAssignment(tenant, registration.endpointId);
  if (!isAssignment(found)) return stopEndpoint(registration, ports, found);
  const lease = { endpointId: registration.endpointId, token: randomUUID() };
  const { state, outcome } = await takeLeaseOrWake(tenant, lease, ports.queue);
  switch (outcome) {
    case 'gone':
      return stopEndpoint(registration, ports, { stored: found.stored, stop: EXPIRED });
    case 'leased':
      return WHEN_WOKEN;
    case 'waiting': {
      // A wake-up that came a little too early is repeated; others are known to come.
      const wait = leases.dueAt(state, leases.timeIn(tenant)) - leases.timeIn(tenant);
      return wait <= leases.WORKERS_DIFFER_MS ? secondsOf(wait) : WHEN_WOKEN;
    }
    case 'taken':
      return new LeasedTurn(registration, { ...ports, budget }, lease, state).run(found);
  }
}

/** Takes the lease, or wakes the worker that has it. Where that worker has released it meanwhile, it is taken. */
async function takeLeaseOrWake(
  tenant: Tenant,
  lease: leases.Lease,
  queue: Ports['queue'],
): ReturnType<typeof leases.takeLease> {
  const { endpointId } = lease;
  const sendAfter = (wait: number) => queue.send([{ tenant: tenant.id, endpointId, delaySeconds: secondsOf(wait) }]);
  for (;;) {
    const taking = await leases.takeLease(tenant, lease);
    if (taking.outcome !== 'leased' || (await leases.wake(tenant, endpointId, sendAfter))) return taking;
  }
}
