import { randomUUID } from 'node:crypto';
import { Tenant } from '#table';
import * as leases from '../state/lease.ts';
import type { Registration } from '../state/register.ts';
import type { DeliveryState } from '../state/state.ts';
import type { Ports } from './ports.ts';
import { secondsOf } from './wake.ts';

/**
 * A tenant may hold only so many workers at a time, so that its slow receivers keep no other tenant waiting
 * (`docs/decisions/0201-events.md`). A slot is the place of one of them. A worker that delivers holds the lease of an
 * endpoint, so a tenant with no more endpoints than slots needs none. A tenant with more leases its slots. A worker
 * that finds all of them taken wakes the holder of one, and that holder wakes the whole tenant at its end.
 */
export interface Slot {
  /** Releases it. @param again whether the tenant is to be woken in any case */
  readonly end: (again: boolean) => Promise<void>;
}

/**
 * Takes a slot of the tenant of these endpoints.
 * @returns `unlimited` where it needs none; `taken` where other workers have all of them, and the holder of one was woken
 */
export async function takeSlot(
  registered: readonly Registration[],
  ports: Ports,
): Promise<Slot | 'unlimited' | 'taken'> {
  const [first] = registered;
  const { slots, queue } = ports;
  if (first === undefined || registered.length <= slots) return 'unlimited';
  const { tenant } = first;
  const open = (): Tenant => Tenant.ofRegistered(first, ports.open());
  const token = randomUUID();
  const start = Math.floor(ports.random() * slots);
  for (let tried = 1; ; tried++) {
    const lease = { endpointId: `SLOT-${(start + tried) % slots}`, token };
    const { outcome, state } = await leases.takeLease(open(), lease, true);
    if (outcome === 'taken') return { end: (again) => endSlot(open, { lease, state }, { tenant, queue, again }) };
    if (tried < slots) continue;
    const sendAfter = (wait: number) => queue.send([{ tenant, delaySeconds: secondsOf(wait) }]);
    if (await leases.wake(open(), lease.endpointId, sendAfter)) return 'taken';
  }
}

interface Held {
  readonly lease: leases.Lease;
  readonly state: DeliveryState;
}
type Waking = Pick<Ports, 'queue'> & Pick<Registration, 'tenant'> & { readonly again: boolean };

async function endSlot(open: () => Tenant, { lease, state }: Held, { tenant, queue, again }: Waking): Promise<void> {
  const isWoken = (await leases.endLease(open(), lease, {}, state)) === 'kept';
  if (isWoken) await leases.endLease(open(), lease, {});
  if (isWoken || again) await queue.send([{ tenant }]);
}
