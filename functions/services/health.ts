import { invalidField } from '#contract';
import type { RequestSession } from '#table';
import { HEALTHY } from '../clients/words.ts';
import type { Service } from './contract.ts';

/** Whether a service is a risk to its client. */
export const isServiceRisk = ({ health_status }: Pick<Service, 'health_status'>): boolean => health_status !== HEALTHY;

type LastCheck = Pick<Service, 'last_health_check'>;
type Reported = 'health_status' | 'cpu_usage' | 'memory_usage' | 'storage_usage';

/**
 * Whether a change only repeats the check that the record knows of: it names the record's `last_health_check`, and
 * reports nothing else than the record has. So sending a record back unchanged is no new check.
 */
export const isKnownCheck = (
  { last_health_check }: Partial<{ [K in keyof LastCheck]: LastCheck[K] | undefined }>,
  before: LastCheck,
  changes: { readonly [field in Reported]?: unknown } = {},
): boolean =>
  last_health_check === before.last_health_check &&
  [changes.health_status, changes.cpu_usage, changes.memory_usage, changes.storage_usage].every(
    (change) => change === undefined,
  );

/**
 * The `last_health_check` after a request, where it sets one: the time that it names, else now if it is a check.
 * @param named the time in the request; null is no time
 * @throws Problem `invalid-body` for a time in the future
 */
export function lastCheck(
  named: string | null | undefined,
  isCheck: boolean,
  session: RequestSession,
): { readonly last_health_check?: string | null } {
  if (typeof named === 'string') return { last_health_check: checkedAt(named, session, 'last_health_check') };
  if (isCheck) return { last_health_check: session.timestamp };
  return named === undefined ? {} : { last_health_check: null };
}

/** How far a reporter's clock may be ahead, in milliseconds. */
const CLOCK_SKEW = 300_000;

/**
 * The time of a check, by the time that its reporter names: at most now, so that a check by a fast clock does not
 * outdate the checks of the next minutes.
 * @param field that named it
 * @throws Problem `invalid-body` for a time in the future
 */
export function checkedAt(named: string, session: RequestSession, field: string): string {
  const time = Date.parse(named);
  if (time > session.now + CLOCK_SKEW) throw invalidField(field, 'must not be in the future');
  return time > session.now ? session.timestamp : named;
}
