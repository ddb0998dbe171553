import { registeredOf } from '#tenancy/deliveries';
import { LONGEST_DELAY, type Message, type Queue } from './ports.ts';
import { turn } from './turn.ts';
import type { World } from './world.ts';

/**
 * Does what a message asks for: a turn at each active endpoint of its tenant, side by side, so that one that is slow delays no other. Those that need
 * another turn soon get a message of their own; after a longer wait the schedule wakes them.
 * @throws what a turn throws, after all have ended: then the message is to be received again
 */
export async function work(message: Message, { queue, ...world }: World & { readonly queue: Queue }): Promise<void> {
  const { endpointId: only } = message;
  const registered = await registeredOf(world.open().tables.environment, message.tenant);
  const meant = registered.filter(({ endpointId }) => only === undefined || only === endpointId);
  const turns = await Promise.allSettled(meant.map((each) => turn(each, world)));
  const wakes = turns.flatMap((ended, index) => {
    const { tenant, endpointId = '' } = meant[index] ?? message;
    const seconds = ended.status === 'fulfilled' ? ended.value : undefined;
    return seconds === undefined || seconds > LONGEST_DELAY ? [] : [{ tenant, endpointId, delaySeconds: seconds }];
  });
  if (wakes.length > 0) await queue.send(wakes);
  const failed = turns.find((ended) => ended.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
