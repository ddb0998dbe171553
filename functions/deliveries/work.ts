import { type Registration, registeredOf } from '#tenancy/deliveries';
import { LONGEST_DELAY, type Message, type Ports, type Queue } from './ports.ts';
import { turn } from './turn.ts';

/**
 * Does what a message asks for: a turn at each active endpoint of its tenant, side by side. One that needs another turn soon gets a message of its own
 * at once, so that a slow one delays no other; after a longer wait the schedule wakes it.
 * @throws what a turn throws, after all have ended: then the message is to be received again
 */
export async function work(message: Message, { queue, ...ports }: Ports & { readonly queue: Queue }): Promise<void> {
  const { endpointId: only } = message;
  const registered = await registeredOf(ports.open().tables.environment, message.tenant);
  const turnOf = async (registration: Registration): Promise<void> => {
    const delaySeconds = await turn(registration, ports);
    const { tenant, endpointId } = registration;
    if (delaySeconds !== undefined && delaySeconds <= LONGEST_DELAY)
      await queue.send([{ tenant, endpointId, delaySeconds }]);
  };
  const meant = registered.filter(({ endpointId }) => only === undefined || only === endpointId);
  const ended = await Promise.allSettled(meant.map(turnOf));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
