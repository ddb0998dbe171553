import { RequestSession } from '#table';
import { observe } from '#telemetry';
import { systemClock } from '../../shared/clock.ts';
import { environmentQueue } from '../events/deliveries/queue.ts';
import { wakeEndpoints } from '../events/deliveries/wake.ts';
import { allRegistered } from '../events/state/register.ts';

/** For all that it does, in milliseconds. */
const TIMEOUT_MS = 60_000;

/**
 * Wakes the endpoints that are behind, every five minutes. Where none is registered it publishes nothing, so that a
 * stage pays for metrics of deliveries only once there are some.
 * @throws what reading or sending throws
 */
export async function handler(): Promise<void> {
  const session = RequestSession.ofEnvironment(TIMEOUT_MS);
  const registered = await allRegistered(session);
  if (registered.length === 0) return;
  const wake = (): Promise<void> => wakeEndpoints(session, registered, environmentQueue());
  await observe({ domain: 'delivery-schedule', clock: systemClock }, wake);
}
