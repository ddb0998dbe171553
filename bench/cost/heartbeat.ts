import type { Template } from 'aws-cdk-lib/assertions';
import { ASSUMED } from './assumptions.ts';
import type { FixedCost } from './fixed.ts';
import { dollarsForLogs, dollarsForRuns, type StageSetup } from './lines.ts';
import { PRICES } from './prices.ts';
import { resourcesOf } from './resources.ts';

interface Rule {
  readonly ScheduleExpression?: string;
}

/** Hours of a month, as CloudWatch charges metrics and as calls are counted here. */
const MINUTES_A_MONTH = 30 * 24 * 60;
const MILLION = 1_000_000;

/**
 * Custom metrics with a value when only the heartbeat calls: times of the health check, calls of the table, cold
 * starts.
 */
const KEPT_ALIVE = 3;

/** Memory of the function that calls, in MB. */
interface Caller {
  readonly MemorySize: number;
  readonly FunctionName: unknown;
}

/** The cost of the heartbeat: its calls, and the metrics that have values because of them. */
export function heartbeatCosts(
  stage: readonly Template[],
  way: StageSetup,
): readonly [calls: FixedCost, keptAlive: FixedCost] {
  const calls = resourcesOf<Rule>(stage, 'AWS::Events::Rule').reduce(
    (sum, { ScheduleExpression }) => sum + callsBy(ScheduleExpression),
    0,
  );
  return [
    { what: 'calls of the heartbeat', count: calls, each: costOfCall(stage, way) },
    { what: 'metrics of our own that it keeps alive', count: calls > 0 ? KEPT_ALIVE : 0, each: PRICES.metric.dollars },
  ];
}

/** @throws Error for a schedule that is not a number of minutes */
function callsBy(schedule: string | undefined): number {
  if (schedule === undefined) return 0;
  const [, minutes] = /^rate\((\d+) minutes?\)$/.exec(schedule) ?? [];
  if (minutes === undefined) throw new Error(`nobody knows how often that is: ${schedule}`);
  return MINUTES_A_MONTH / Number(minutes);
}

/** Two functions run. The second reads an item without a caller: half a unit. */
function costOfCall(stage: readonly Template[], way: StageSetup): number {
  const caller = resourcesOf<Caller>(stage, 'AWS::Lambda::Function').find(({ FunctionName }) =>
    JSON.stringify(FunctionName).includes('-heartbeat'),
  );
  const responded = ASSUMED.roundTripMs + ASSUMED.ownMs;
  const runs =
    dollarsForRuns(ASSUMED.heartbeatMs / 1_000, caller?.MemorySize ?? way.memory) +
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
