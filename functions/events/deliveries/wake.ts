import { serverTime } from '@custodia/counted-lists';
import type { RequestSession } from '#table';
import { increment } from '#telemetry';
import { dueAt } from '../state/lease.ts';
import { type Backlog, type Registration, readBacklogs } from '../state/register.ts';
import type { Message, Queue } from './queue.ts';

/** Most messages that are sent at once. */
const SENT_TOGETHER = 100;

/**
 * Wakes the endpoints that are behind and whose next call is due: this alone has all events delivered, should every
 * other wake-up be lost. It reads numbers, and no record of a tenant.
 */
export async function wakeEndpoints(
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
    if (messages.length < SENT_TOGETHER) continue;
    await queue.send(messages);
    messages = [];
  }
  if (messages.length > 0) await queue.send(messages);
}

/**
 * Whether an endpoint is behind, or is to be tidied up. One of another generation is, too: records were restored. Where
 * it gets none of the events after its cursor, a turn moves the cursor.
 */
export const needsTurn = ({ state, end, generation }: Omit<Backlog, 'registration'>, now: number): boolean =>
  state === undefined || ((state.next !== end || state.generation !== generation) && dueAt(state, now) <= now);
