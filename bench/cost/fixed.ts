import type { Template } from 'aws-cdk-lib/assertions';
import { contracts } from '../../functions/all-contracts.ts';
import { COUNTERS, DECISIONS, STATUS_CLASSES, WORK_ENDS } from '../../shared/telemetry/metrics.ts';
import { PRICES } from './prices.ts';
import { resourcesOf } from './resources.ts';

/** The monthly cost of a stage by its templates. */
export interface FixedCost {
  readonly what: string;
  readonly count: number;
  /** Dollars a month for each. */
  readonly each: number;
}

interface WebAcl {
  readonly Rules: readonly unknown[];
}

interface MetricFilter {
  readonly MetricTransformations: readonly { readonly MetricName: string }[];
}

interface Alarm {
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
}

/** Functions of the background that publish times: the worker of deliveries and their schedule. */
const OBSERVED = 2;

/** The cost of a stage that nobody calls. */
export function idleCosts(stage: readonly Template[]): readonly FixedCost[] {
  const acls = resourcesOf<WebAcl>(stage, 'AWS::WAFv2::WebACL');
  const alarms = resourcesOf<Alarm>(stage, 'AWS::CloudWatch::Alarm');
  const cost = (what: string, count: number, { dollars }: { readonly dollars: number }): FixedCost => ({
    what,
    count,
    each: dollars,
  });
  return [
    cost('keys', resourcesOf(stage, 'AWS::KMS::Key').length, PRICES.key),
    cost('firewall', acls.length, PRICES.firewall),
    cost('rules of the firewall', sum(acls.map(({ Rules }) => Rules.length)), PRICES.firewallRule),
    cost('metrics that alarms look at', sum(alarms.map(metricsOf)), PRICES.alarmMetric),
    cost('composite alarms', resourcesOf(stage, 'AWS::CloudWatch::CompositeAlarm').length, PRICES.compositeAlarm),
    cost('dashboards', resourcesOf(stage, 'AWS::CloudWatch::Dashboard').length, PRICES.dashboard),
  ];
}

/**
 * Custom metrics: times by outcome of each domain and of the authorizer, counters, and metrics of filters
 * (`docs/operations.md`). CloudWatch charges them for hours with a value, so they cost nothing where nobody calls.
 */
export function metricCost(stage: readonly Template[]): FixedCost {
  const byOutcome = contracts.length * STATUS_CLASSES.length + DECISIONS.length + OBSERVED * WORK_ENDS.length;
  const filters = resourcesOf<MetricFilter>(stage, 'AWS::Logs::MetricFilter');
  const names = filters.flatMap(({ MetricTransformations }) =>
    MetricTransformations.map(({ MetricName }) => MetricName),
  );
  const count = byOutcome + Object.keys(COUNTERS).length + new Set(names).size;
  return { what: 'metrics of our own', count, each: PRICES.metric.dollars };
}

export const monthly = (costs: readonly FixedCost[]): number => sum(costs.map(({ count, each }) => count * each));

/** An alarm over an expression pays for each metric in it. */
const metricsOf = ({ Metrics = [] }: Alarm): number =>
  Math.max(1, Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
