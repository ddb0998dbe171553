import { randomUUID } from 'node:crypto';
import { Tenant } from '#table';
import * as leases from '../state/lease.ts';
import { type Registration, registeredOf } from '../state/register.ts';
import { AT_ONCE, type NextTurn, type Ports, secondsOf, WHEN_WOKEN } from './ports.ts';
import { LONGEST_DELAY, type Message } from './queue.ts';
import { turn } from './turn.ts';

/**
 * Gives each active endpoint of a message's tenant a turn, side by side. One that needs another turn soon gets a
 * message of its own at once, so that a slow one delays no other; after a longer wait the schedule wakes it.
 * @throws what a turn throws, after all have ended: then the message is to be received again
 */
export async function work(message: Message, ports: Ports): Promise<void> {
  const { tenant, endpointId: only } = message;
  const registered = await registeredOf(ports.open().tables.environment, tenant);
  const woken = registered.filter(({ endpointId }) => only === undefined || only === endpointId);
  if (woken.length === 0) return;
  const releaseSlot = await takeSlot(registered, ports);
  if (releaseSlot === 'none free') return;
  const turnOf = async (registration: Registration): Promise<NextTurn> => {
    const delaySeconds = await turn(registration, ports, registered.length);
    if (delaySeconds === undefined || delaySeconds > LONGEST_DELAY) return WHEN_WOKEN;
    // The next worker in the slot has a turn for all endpoints, so that none of them keeps the slot for itself.
    if (delaySeconds === AT_ONCE && releaseSlot !== 'not needed') return AT_ONCE;
    await ports.queue.send([{ tenant: registration.tenant, endpointId: registration.endpointId, delaySeconds }]);
    return WHEN_WOKEN;
  };
  const ended = await Promise.allSettled(woken.map(turnOf));
  const again = ended.some((each) => each.status === 'fulfilled' && each.value === AT_ONCE);
  if (releaseSlot !== 'not needed') await releaseSlot(again);
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/**
 * The place of one of the workers that a tenant may hold at a time, so that its slow receivers keep no other tenant
 * waiting. A tenant with no more endpoints than slots needs none, because a worker holds the lease of an endpoint. A
 * tenant with more leases its slots. A worker that finds no free one wakes the holder of one, which wakes the whole
 * tenant at its end.
 * @returns what releases the slot, and says whether the tenant is to be woken in any case
 */
async function takeSlot(
  registered: readonly Registration[],
  { slots, queue, open, random }: Ports,
): Promise<((again: boolean) => Promise<void>) | 'not needed' | 'none free'> {
  const [first] = registered;
  if (first === undefined || registered.length <= slots) return 'not needed';
  const { tenant } = first;
  const openTenant = (): Tenant => Tenant.ofRegistered(first, open());
  const token = randomUUID();
  const start = Math.floor(random() * slots);
  for (let tried = 1; ; tried++) {
    const lease = { endpointId: `SLOT-${(start + tried) % slots}`, token };
    const { outcome, state } = await leases.takeLease(openTenant(), lease, true);
    if (outcome === 'taken') {
      return async (again) => {
        const isWoken = (await leases.endLease(openTenant(), lease, {}, state)) === 'kept';
        if (isWoken) await leases.endLease(openTenant(), lease, {});
        if (isWoken || again) await queue.send([{ tenant }]);
      };
    }
    if (tried < slots) continue;
    const sendAfter = (wait: number) => queue.send([{ tenant, delaySeconds: secondsOf(wait) }]);
    if (await leases.wake(openTenant(), lease.endpointId, sendAfter)) return 'none free';
  }
}
