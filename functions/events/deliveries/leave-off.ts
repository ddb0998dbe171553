import { Tenant } from '#table';
import { increment } from '#telemetry';
import { type Registration, unregister } from '../state/register.ts';
import type { Assignment, Found, Stop } from './assignment.ts';
import type { Ports } from './ports.ts';
import { stopUnlessChanged } from './recording.ts';
import { AT_ONCE, NOBODY, type Wake } from './wake.ts';

export const EXPIRED: Stop = { status: 'expired', status_reason: 'cursor_expired' };

/** Ends what is there for an endpoint that gets nothing. One that has changed since it was read is read again. */
export async function leaveOff(
  registration: Registration,
  ports: Ports,
  found: Exclude<Found, Assignment>,
): Promise<Wake> {
  if (found === 'suspended') return NOBODY;
  const session = ports.open();
  if (found !== 'inactive') {
    const isStopped = await stopUnlessChanged(Tenant.ofRegistered(registration, session), found.stored, found.stop);
    if (!isStopped) return AT_ONCE;
    increment('EndpointsStopped');
  }
  await unregister(session.tables.environment, registration);
  return NOBODY;
}
