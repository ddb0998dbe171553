import { serverTime } from '#lists';
import type { RequestSession } from '#table';
import { increment } from '#telemetry';
import { readBacklogs } from '../state/backlog.ts';
import * as leases from '../state/lease.ts';
import type { Registration } from '../state/register.ts';
import type { Message, Queue } from './ports.ts';

type Backlog = ReturnType<typeof readBacklogs> extends AsyncGenerator<infer B> ? B : never;

/** Most messages that are sent at once. */
const AT_ONCE = 100;

/**
 * Wakes the endpoints that are behind and whose next call is due: nothing else is needed for all to be delivered, should every other wake-up be lost.
 * It reads numbers, and no record of a tenant.
 */
export async function wakeBehind(
  session: RequestSession,
  registered: readonly Registration[],
  queue: Queue,
): Promise<void> {
  let messages: Message[] = [];
  const now = (): number => serverTime(session.tables.environment, session.clock);
  for await (const each of readBacklogs(session, registered)) {
    if (!needsTurn(each, now())) continue;
    increment('EndpointsBehind');
    messages.push({ tenant: each.registration.tenant, endpointId: each.registration.endpointId });
    if (messages.length < AT_ONCE) continue;
    await queue.send(messages);
    messages = [];
  }
  if (messages.length > 0) await queue.send(messages);
}

/**
 * Whether an endpoint is behind, or is to be tidied up. One of another generation is, too: records were restored. Its events may all be such that it
 * does not get: then a turn moves its cursor.
 */
export const needsTurn = ({ state, end, generation }: Omit<Backlog, 'registration'>, now: number): boolean =>
  state === undefined || ((state.next !== end || state.generation !== generation) && leases.dueAt(state, now) <= now);
