import type { Template } from 'aws-cdk-lib/assertions';
import { ASSUMED } from './assumptions.ts';
import type { FixedCost } from './fixed.ts';
import { dollarsForLogs, dollarsForRuns, type StageSetup } from './lines.ts';
import { PRICES } from './prices.ts';
import { memoryOf } from './resources.ts';
import { MINUTES_A_MONTH, scheduledCalls } from './schedules.ts';

const MILLION = 1_000_000;

/** Lambda waits 20 s for a message at most. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html */
const POLLS_A_MINUTE = 3;

/** The cost of what wakes deliveries, while there is nothing to deliver and no endpoint. */
export const wakeUpCosts = (
  stage: readonly Template[],
  { memory, logs: { lambda } }: StageSetup,
): readonly FixedCost[] => [
  {
    what: 'polls of the queue of deliveries',
    count: ASSUMED.pollers * POLLS_A_MINUTE * MINUTES_A_MONTH,
    each: PRICES.queueRequests.dollars / MILLION,
  },
  {
    what: 'calls of its schedule',
    count: scheduledCalls(stage, /deliveryschedule/i),
    // It reads the register, which is empty: one unit.
    each:
      (dollarsForRuns((ASSUMED.roundTripMs + ASSUMED.ownMs) / 1_000, memoryOf(stage, 'delivery-schedule') ?? memory) +
        PRICES.readUnits.dollars +
        dollarsForLogs(lambda)) /
      MILLION,
  },
];
