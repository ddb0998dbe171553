import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenInput } from '#http';

/**
 * Least time of a refused login since its request began, in milliseconds: otherwise a known app code could be
 * recognized by the time of the response. The refusal of a known code is recorded, and a container that knows the code
 * reads in one round trip, even where the caller has to wait (429).
 */
const REFUSAL_TIME = 200;

const restOf = (time: number, { now, clock }: OpenInput['session']): number =>
  Math.min(Math.max(now + time - clock(), 0), time);

/** Waits before a refusal is thrown. */
export async function refusingLate<T>({ session }: Pick<OpenInput, 'session'>, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    await sleep(restOf(REFUSAL_TIME, session));
    throw error;
  }
}
