import type { Template } from 'aws-cdk-lib/assertions';
import { contracts } from '../../functions/all-contracts.ts';
import { COUNTERS, DECISIONS, STATUS_CLASSES, WORK_ENDS } from '../../shared/telemetry/metrics.ts';
import type { ColdStart } from '../cpu-share.ts';
import { ASSUMED } from './assumptions.ts';
import { dollarsForLogs, dollarsForRuns, LOG_LINES, MILLION, type StageSetup } from './lines.ts';
import { PRICES } from './prices.ts';

/** What a stage costs by its templates, whoever calls it. */

/** Something with a price a month. */
export interface FixedCost {
  readonly what: string;
  readonly count: number;
  /** Dollars a month for each. */
  readonly each: number;
}

/** The billed properties of a stage of a profile. */
export interface Profile {
  readonly way: StageSetup;
  readonly idle: readonly FixedCost[];
  /** Custom metrics, which have values only while somebody calls. */
  readonly metrics: FixedCost;
  /** Memory in MB of the worker of deliveries, and of the function that wakes it. */
  readonly worker: number;
  readonly wakeUp: number;
}

export interface Profiles {
  readonly standard: Profile;
  readonly small: Profile;
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

export const monthly = (costs: readonly FixedCost[]): number => sum(costs.map(({ count, each }) => count * each));

/** @param synthesize returns the templates of a stage with these settings */
export function profilesOf(
  synthesize: (context: Readonly<Record<string, string>>) => readonly Template[],
  coldStart: ColdStart,
): Profiles {
  const profile = (name: string): Profile => {
    const stage = synthesize({ stage: 'prod', profile: name });
    const way = wayOf(stage, coldStart);
    const [calls, keptAlive] = heartbeatCosts(stage, way);
    const metrics = metricCost(stage);
    const [worker, wakeUp] = ['deliveries', 'delivery-wake-up'].map((each) => memoryOf(stage, each));
    if (worker === undefined || wakeUp === undefined) throw new Error('the stage delivers no events');
    return {
      ...{ way, worker, wakeUp },
      idle: [...idleCosts(stage), calls, keptAlive, ...backgroundCosts(stage, way)],
      metrics: { ...metrics, count: metrics.count - keptAlive.count },
    };
  };
  return { standard: profile('standard'), small: profile('small') };
}

/** In the OpenAPI document that the API is imported from: the size from which responses are compressed. */
const COMPRESSION = 'x-amazon-apigateway-minimum-compression-size';

function wayOf(stage: readonly Template[], coldStart: ColdStart): StageSetup {
  const [api] = resourcesOf<{ readonly Body: object }>(stage, 'AWS::ApiGateway::RestApi');
  const [first] = resourcesOf<{ readonly MemorySize: number }>(stage, 'AWS::Lambda::Function');
  if (api === undefined || first === undefined) throw new Error('the stage has no API');
  return {
    memory: first.MemorySize,
    logs: LOG_LINES,
    hasFirewall: resourcesOf(stage, 'AWS::WAFv2::WebACL').length > 0,
    isCompressed: COMPRESSION in api.Body,
    coldStart,
    unchanged: 0,
    requestsPerAuthorizer: ASSUMED.requestsPerAuthorizer,
  };
}

interface Alarm {
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
}

/** The cost of a stage that nobody calls. */
function idleCosts(stage: readonly Template[]): readonly FixedCost[] {
  const acls = resourcesOf<{ readonly Rules: readonly unknown[] }>(stage, 'AWS::WAFv2::WebACL');
  const cost = (what: string, count: number, { dollars }: { readonly dollars: number }): FixedCost => ({
    what,
    count,
    each: dollars,
  });
  const count = (type: string): number => resourcesOf(stage, type).length;
  return [
    cost('keys', count('AWS::KMS::Key'), PRICES.key),
    cost('firewall', acls.length, PRICES.firewall),
    cost('rules of the firewall', sum(acls.map(({ Rules }) => Rules.length)), PRICES.firewallRule),
    cost(
      'metrics that alarms look at',
      sum(resourcesOf<Alarm>(stage, 'AWS::CloudWatch::Alarm').map(metricsOf)),
      PRICES.alarmMetric,
    ),
    cost('composite alarms', count('AWS::CloudWatch::CompositeAlarm'), PRICES.compositeAlarm),
    cost('dashboards', count('AWS::CloudWatch::Dashboard'), PRICES.dashboard),
  ];
}

/** An alarm over an expression pays for each metric in it. */
const metricsOf = ({ Metrics = [] }: Alarm): number =>
  Math.max(1, Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length);

/** Functions of the background that publish times: the worker of deliveries and their schedule. */
const OBSERVED = 2;

interface MetricFilter {
  readonly MetricTransformations: readonly { readonly MetricName: string }[];
}

/**
 * Custom metrics: times by outcome of each domain and of the authorizer, counters, and metrics of filters
 * (`docs/operations.md`). CloudWatch charges them for hours with a value, so they cost nothing where nobody calls.
 */
function metricCost(stage: readonly Template[]): FixedCost {
  const byOutcome = contracts.length * STATUS_CLASSES.length + DECISIONS.length + OBSERVED * WORK_ENDS.length;
  const filters = resourcesOf<MetricFilter>(stage, 'AWS::Logs::MetricFilter');
  const names = filters.flatMap(({ MetricTransformations: of }) => of.map(({ MetricName }) => MetricName));
  const count = byOutcome + Object.keys(COUNTERS).length + new Set(names).size;
  return { what: 'metrics of our own', count, each: PRICES.metric.dollars };
}

/** Custom metrics with a value when only the heartbeat calls: times of the health check, calls, cold starts. */
const KEPT_ALIVE = 3;

/** The cost of the heartbeat: its calls, and the metrics that have values because of them. */
export function heartbeatCosts(
  stage: readonly Template[],
  way: StageSetup,
): readonly [calls: FixedCost, keptAlive: FixedCost] {
  const calls = scheduledCalls(stage, /heartbeat/i);
  // Two functions run. The second reads an item without a caller: half a unit.
  const aMillion =
    PRICES.gatewayRequests.dollars +
    (way.hasFirewall ? PRICES.firewallRequests.dollars : 0) +
    dollarsForRuns(ASSUMED.heartbeatMs / 1_000, memoryOf(stage, 'heartbeat') ?? way.memory) +
    dollarsForRuns((ASSUMED.roundTripMs + ASSUMED.ownMs) / 1_000, way.memory) +
    PRICES.readUnits.dollars / 2 +
    dollarsForLogs(way.logs.gateway + 2 * way.logs.lambda + way.logs.own);
  return [
    { what: 'calls of the heartbeat', count: calls, each: aMillion / MILLION },
    { what: 'metrics of our own that it keeps alive', count: calls > 0 ? KEPT_ALIVE : 0, each: PRICES.metric.dollars },
  ];
}

/**
 * Lambda waits 20 s for a message at most.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html
 */
const POLLS_A_MINUTE = 3;

/** Of a month of 30 days, as CloudWatch charges metrics. */
const MINUTES_A_MONTH = 30 * 24 * 60;

/** The cost of what works on a schedule and by a queue, while there is nothing to do. */
function backgroundCosts(stage: readonly Template[], { memory, logs }: StageSetup): readonly FixedCost[] {
  // Each reads its register, which is empty: one unit.
  const aMillionCalls = (name: string): number =>
    dollarsForRuns((ASSUMED.roundTripMs + ASSUMED.ownMs) / 1_000, memoryOf(stage, name) ?? memory) +
    PRICES.readUnits.dollars +
    dollarsForLogs(logs.lambda);
  return [
    {
      what: 'polls of the queue of deliveries',
      count: ASSUMED.pollers * POLLS_A_MINUTE * MINUTES_A_MONTH,
      each: PRICES.queueRequests.dollars / MILLION,
    },
    ...['delivery-schedule', 'held-alerts'].map((name) => ({
      what: `calls of \`${name}\``,
      count: scheduledCalls(stage, new RegExp(name.replace('-', ''), 'i')),
      each: aMillionCalls(name) / MILLION,
    })),
  ];
}

/** The properties of a stage's resources of a type, in any of its templates. */
const resourcesOf = <T>(stage: readonly Template[], type: string): T[] =>
  stage.flatMap((template) => Object.values(template.findResources(type)).map(({ Properties }) => Properties as T));

/** The memory of the stage's function of this name, in MB; undefined where it has none. */
const memoryOf = (stage: readonly Template[], name: string): number | undefined =>
  resourcesOf<{ readonly MemorySize: number; readonly FunctionName: unknown }>(stage, 'AWS::Lambda::Function').find(
    ({ FunctionName }) => JSON.stringify(FunctionName).includes(`-${name}"`),
  )?.MemorySize;

interface Rule {
  readonly ScheduleExpression?: string;
  readonly Targets?: unknown;
}

/** How many calls a month the stack has scheduled of functions with such a name. */
const scheduledCalls = (stage: readonly Template[], name: RegExp): number =>
  sum(
    resourcesOf<Rule>(stage, 'AWS::Events::Rule')
      .filter(({ Targets }) => name.test(JSON.stringify(Targets)))
      .map(({ ScheduleExpression }) => callsBy(ScheduleExpression)),
  );

/** @throws Error for a schedule that is not a number of minutes */
function callsBy(schedule: string | undefined): number {
  if (schedule === undefined) return 0;
  const [, minutes] = /^rate\((\d+) minutes?\)$/.exec(schedule) ?? [];
  if (minutes === undefined) throw new Error(`nobody knows how often that is: ${schedule}`);
  return MINUTES_A_MONTH / Number(minutes);
}
