import type { Template } from 'aws-cdk-lib/assertions';
import { contracts } from '../../functions/all-contracts.ts';
import { COUNTERS, DECISIONS, STATUS_CLASSES } from '../../shared/telemetry/metrics.ts';
import { PRICES } from './prices.ts';

/** What a stage costs before anybody calls it, counted in its template. */
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

/** Time by outcome of each domain and of the authorizer, counters, and what metric filters count (`docs/operations.md`). */
function ownMetrics(template: Template): number {
  const byOutcome = contracts.length * STATUS_CLASSES.length + DECISIONS.length;
  const filters = propertiesOf<MetricFilter>(template, 'AWS::Logs::MetricFilter');
  const names = filters.flatMap(({ MetricTransformations }) =>
    MetricTransformations.map(({ MetricName }) => MetricName),
  );
  return byOutcome + Object.keys(COUNTERS).length + new Set(names).size;
}

export function fixedCosts(template: Template): readonly FixedCost[] {
  const acls = propertiesOf<WebAcl>(template, 'AWS::WAFv2::WebACL');
  const alarms = propertiesOf<Alarm>(template, 'AWS::CloudWatch::Alarm');
  return [
    { what: 'keys', count: propertiesOf(template, 'AWS::KMS::Key').length, each: PRICES.key.dollars },
    { what: 'firewall', count: acls.length, each: PRICES.firewall.dollars },
    {
      what: 'rules of the firewall',
      count: sum(acls.map(({ Rules }) => Rules.length)),
      each: PRICES.firewallRule.dollars,
    },
    { what: 'metrics that alarms look at', count: sum(alarms.map(metricsOf)), each: PRICES.alarmMetric.dollars },
    { what: 'metrics of our own', count: ownMetrics(template), each: PRICES.metric.dollars },
    {
      what: 'dashboards',
      count: propertiesOf(template, 'AWS::CloudWatch::Dashboard').length,
      each: PRICES.dashboard.dollars,
    },
  ];
}

export const monthly = (costs: readonly FixedCost[]): number => sum(costs.map(({ count, each }) => count * each));

/** An alarm over an expression pays for each metric in it. */
const metricsOf = ({ Metrics = [] }: Alarm): number =>
  Math.max(1, Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length);

const propertiesOf = <T>(template: Template, type: string): T[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties as T);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
