import { type Registration, registeredOf } from '../state/register.ts';
import { LONGEST_DELAY, type Message, type Ports } from './ports.ts';
import { takeSlot } from './slots.ts';
import { turn } from './turn.ts';
import { AT_ONCE, NOBODY, type Wake } from './wake.ts';

/**
 * Does what a message asks for: a turn at each active endpoint of its tenant, side by side. One that needs another turn soon gets a message of its own
 * at once, so that a slow one delays no other; after a longer wait the schedule wakes it.
 * @throws what a turn throws, after all have ended: then the message is to be received again
 */
export async function work(message: Message, ports: Ports): Promise<void> {
  const { tenant, endpointId: only } = message;
  const registered = await registeredOf(ports.open().tables.environment, tenant);
  const meant = registered.filter(({ endpointId }) => only === undefined || only === endpointId);
  if (meant.length === 0) return;
  const slot = await takeSlot(registered, ports);
  if (slot === 'taken') return;
  const turnOf = async (registration: Registration): Promise<Wake> => {
    const delaySeconds = await turn(registration, ports, registered.length);
    if (delaySeconds === undefined || delaySeconds > LONGEST_DELAY) return NOBODY;
    // The next worker in the slot has a turn for all endpoints, so that none of them keeps the slot for itself.
    if (delaySeconds === AT_ONCE && slot !== 'unlimited') return AT_ONCE;
    await ports.queue.send([{ tenant: registration.tenant, endpointId: registration.endpointId, delaySeconds }]);
    return NOBODY;
  };
  const ended = await Promise.allSettled(meant.map(turnOf));
  if (slot !== 'unlimited') await slot.end(ended.some((each) => each.status === 'fulfilled' && each.value === AT_ONCE));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
