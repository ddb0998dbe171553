import type { Template } from 'aws-cdk-lib/assertions';
import { ASSUMED } from './assumptions.ts';
import type { FixedCost } from './fixed.ts';
import { dollarsForLogs, dollarsForRuns, type StageSetup } from './lines.ts';
import { PRICES } from './prices.ts';
import { memoryOf } from './resources.ts';
import { scheduledCalls } from './schedules.ts';

const MILLION = 1_000_000;

/**
 * Custom metrics with a value when only the heartbeat calls: times of the health check, calls of the table, cold
 * starts.
 */
const KEPT_ALIVE = 3;

/** The cost of the heartbeat: its calls, and the metrics that have values because of them. */
export function heartbeatCosts(
  stage: readonly Template[],
  way: StageSetup,
): readonly [calls: FixedCost, keptAlive: FixedCost] {
  const calls = scheduledCalls(stage, /heartbeat/i);
  return [
    { what: 'calls of the heartbeat', count: calls, each: costOfCall(stage, way) },
    { what: 'metrics of our own that it keeps alive', count: calls > 0 ? KEPT_ALIVE : 0, each: PRICES.metric.dollars },
  ];
}

/** Two functions run. The second reads an item without a caller: half a unit. */
function costOfCall(stage: readonly Template[], way: StageSetup): number {
  const responded = ASSUMED.roundTripMs + ASSUMED.ownMs;
  const runs =
    dollarsForRuns(ASSUMED.heartbeatMs / 1_000, memoryOf(stage, 'heartbeat') ?? way.memory) +
    dollarsForRuns(responded / 1_000, way.memory);
  const { gateway, lambda, own } = way.logs;
  const aMillion =
    PRICES.gatewayRequests.dollars +
    (way.hasFirewall ? PRICES.firewallRequests.dollars : 0) +
    runs +
    PRICES.readUnits.dollars / 2 +
    dollarsForLogs(gateway + 2 * lambda + own);
  return aMillion / MILLION;
}
