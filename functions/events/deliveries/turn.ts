import { randomUUID } from 'node:crypto';
import { DeliveryBudget } from '#http/parts';
import { Tenant } from '#table';
import { metered } from '#telemetry';
import * as leases from '../state/lease.ts';
import type { Registration } from '../state/register.ts';
import { isAssignment, readAssignment } from './assignment.ts';
import { LeasedTurn } from './leased-turn.ts';
import { EXPIRED, leaveOff } from './leave-off.ts';
import type { Ports } from './ports.ts';
import { NOBODY, secondsOf, type Wake } from './wake.ts';

/**
 * A worker's turn at an endpoint (`docs/decisions/0201-events.md`): it delivers what is in the journal from the endpoint's cursor on, in order.
 *
 *     read the assignment ─▶ none: nothing, or the endpoint is stopped
 *      │    ▲                   one of an unverified endpoint: a ping, and the assignment is read again
 *      ▼    └────────────── 5 s later, or at the end of a page
 *     read a page ─▶ call ─▶ delivered ─▶ the cursor moves ─▶ next call
 *                     │       refused ──▶ one by one; one event five times: skipped, the cursor moves
 *                     │       failed ───▶ the turn ends, the same events are sent again later
 *                     │       gone ─────▶ the endpoint is disabled
 *                     └──── 20 s are over, or the call was slow: the turn ends, there is another one
 *     budget is spent ─▶ the turn ends, there is another one when it is not
 *     end of the journal ─▶ the turn ends, unless somebody has woken this worker meanwhile
 *     open number ────────▶ the turn ends, there is another one when it is overdue
 */

/**
 * @param endpoints of the tenant, which have a share each of its delivery budget
 * @throws TableUnavailable, what opening a secret throws, or what the queue throws
 */
export const turn = (registration: Registration, ports: Ports, endpoints = 1): Promise<Wake> =>
  metered(async (units) => {
    const open = (): Tenant => Tenant.ofRegistered(registration, ports.open());
    const budget = new DeliveryBudget(open, endpoints, units);
    try {
      return await takeTurn(registration, ports, budget);
    } finally {
      budget.charge(0);
    }
  });

async function takeTurn(registration: Registration, ports: Ports, budget: DeliveryBudget): Promise<Wake> {
  const tenant = Tenant.ofRegistered(registration, ports.open());
  const found = await readAssignment(tenant, registration.endpointId);
  if (!isAssignment(found)) return leaveOff(registration, ports, found);
  const lease = { endpointId: registration.endpointId, token: randomUUID() };
  const { state, outcome } = await takeOrWake(tenant, lease, ports.queue);
  switch (outcome) {
    case 'gone':
      return leaveOff(registration, ports, { stored: found.stored, stop: EXPIRED });
    case 'leased':
      return NOBODY;
    case 'waiting':
      return soon(leases.dueAt(state, leases.timeIn(tenant)) - leases.timeIn(tenant));
    case 'taken':
      return new LeasedTurn(registration, { ...ports, budget }, lease, state).take(found);
  }
}

/** Takes the lease, or wakes the worker that has it. Where that worker has released it meanwhile, nobody was woken, and the lease is free: it is taken. */
async function takeOrWake(
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

/** A wake-up that came a little too early is repeated; others are known to come. */
const soon = (wait: number): Wake => (wait <= leases.WORKERS_DIFFER_MS ? secondsOf(wait) : NOBODY);
