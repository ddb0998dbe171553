import fc from 'fast-check';
import { complaintsOf, outcomeOf } from './history.ts';
import { type Plan, plan } from './plan.ts';
import { play } from './play.ts';

export interface Counts {
  runs: number;
  requests: number;
  faults: number;
  ok: number;
  fail: number;
  unknown: number;
}

export const noCounts = (): Counts => ({ runs: 0, requests: 0, faults: 0, ok: 0, fail: 0, unknown: 0 });

/** Runs at once, each in a tenant of its own: most of a run is waiting. */
const TOGETHER = 4;

/** Plays at least `runs` plans made from the seed and adds to the counts. @throws Error with the seed, the plan and what is wrong */
export const soak = (seed: number, runs: number, counts: Counts): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: TOGETHER, maxLength: TOGETHER }), async (plans) => {
      await Promise.all(plans.map((planned) => one(planned, counts)));
    }),
    // The interleaving is not in the plan: what fails may not fail again, and shrinking would lead astray.
    { seed, numRuns: Math.ceil(runs / TOGETHER), endOnFailure: true },
  );

async function one(planned: Plan, counts: Counts): Promise<void> {
  const { history, effects } = await play(planned);
  counts.runs += 1;
  counts.requests += history.length;
  counts.faults += planned.workers.flat().flatMap(({ faults }) => faults.filter((fault) => fault !== undefined)).length;
  for (const entry of history) counts[outcomeOf(entry) ?? 'unknown'] += 1;
  const complaints = complaintsOf(history, effects);
  if (complaints.length > 0) {
    throw new Error(`${complaints.join('\n')}\n${history.map((entry) => JSON.stringify(entry)).join('\n')}`);
  }
}
