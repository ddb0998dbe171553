import fc from 'fast-check';
import type { Fault } from '../support/faults.ts';

/**
 * What happens in one run, all but the interleaving: several workers, each of which sends a few requests one after the other, of few
 * events and few creations among them all, over a network that fails as the plan says.
 */

export interface Attempt {
  /** `event`: a delivery of a webhook event. `create`: a creation under an idempotency key. */
  readonly kind: 'event' | 'create';
  /** Which event, or which key. */
  readonly subject: number;
  /** Almost always the same body; another now and then, under the same id. */
  readonly variant: number;
  /** By DynamoDB call of the request. */
  readonly faults: readonly (Fault | undefined)[];
}

export interface Plan {
  readonly workers: readonly (readonly Attempt[])[];
}

/** No more subjects than this, so that the workers get into each other's way. */
export const SUBJECTS = 2;

const fault: fc.Arbitrary<Fault> = fc.constantFrom(
  'dropped',
  'reply-lost',
  'reply-lost',
  'timeout',
  'throttled',
  'server-error',
  'applied-server-error',
  'conflict',
  'crash',
  'crash-after',
);

/** A stretch of calls with one lot: a fault may outlast the attempts of the SDK, or be over after one. */
const stretch = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: fault }),
    fc.constantFrom(1, 1, 2, 4),
  )
  .map(([lot, calls]) => Array.from({ length: calls }, () => lot));

const attempt: fc.Arbitrary<Attempt> = fc.record({
  kind: fc.constantFrom('event', 'event', 'create'),
  subject: fc.nat({ max: SUBJECTS - 1 }),
  variant: fc.constantFrom(0, 0, 0, 0, 1),
  faults: fc.array(stretch, { maxLength: 8, size: 'max' }).map((stretches) => stretches.flat()),
});

export const plan: fc.Arbitrary<Plan> = fc.record({
  workers: fc.array(fc.array(attempt, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 }),
});
