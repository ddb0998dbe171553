import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { resourcesOf, type Templates } from '../synthesize.ts';
import { evaluate, type Reading, type Series } from './evaluate.ts';
import { type Expression, idsIn, parse } from './parse.ts';
import { typeOf } from './types.ts';

const dimensionsSchema = z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]);
const metricSchema = z.strictObject({
  Metric: z.strictObject({ Namespace: z.string(), MetricName: z.string(), Dimensions: dimensionsSchema }),
  Period: z.number(),
  Stat: z.string(),
});
const querySchema = z.union([
  z.strictObject({ Id: z.string(), Expression: z.string(), ReturnData: z.boolean().default(true) }),
  z.strictObject({ Id: z.string(), MetricStat: metricSchema, ReturnData: z.boolean().default(true) }),
]);
type Query = z.infer<typeof querySchema>;

const alarmSchema = z.object({
  AlarmName: z.string(),
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()).default([]),
  OKActions: z.array(z.unknown()).default([]),
  ComparisonOperator: z.literal('GreaterThanOrEqualToThreshold'),
  DatapointsToAlarm: z.number(),
  EvaluationPeriods: z.number(),
  Threshold: z.number(),
  TreatMissingData: z.literal('notBreaching'),
  Metrics: z.array(querySchema),
});
export type Alarm = z.infer<typeof alarmSchema>;

/** The alarms of a template, or of all stacks, by their names without what all of them begin with. All of them watch an expression. */
export const alarmsIn = (of: Template | Templates, prefix: string): ReadonlyMap<string, Alarm> =>
  new Map(
    resourcesOf(of, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => {
      const alarm = alarmSchema.parse(Properties);
      return [alarm.AlarmName.replace(`${prefix}-`, ''), alarm];
    }),
  );

export const metricsOf = ({ Metrics }: Pick<Alarm, 'Metrics'>) =>
  Metrics.flatMap((query) => ('MetricStat' in query ? [{ id: query.Id, ...query.MetricStat }] : []));

const expressionsOf = (queries: readonly Query[]): ReadonlyMap<string, Expression> =>
  new Map(queries.flatMap((query) => ('Expression' in query ? [[query.Id, parse(query.Expression)] as const] : [])));

/** What it says of itself that a metric is missing in it, or that this does not matter. */
const WITHSTANDS_GAPS = ['FILL', 'SERVICE_QUOTA'];

/** What CloudWatch would refuse of an alarm, or never fire: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html */
export function faultsOf({ Metrics }: Pick<Alarm, 'Metrics'>): string[] {
  const expressions = expressionsOf(Metrics);
  const ids = Metrics.map(({ Id }) => Id);
  const used = [...expressions.values()].flatMap((each) => idsIn(each));
  const [returned, ...others] = Metrics.filter(({ ReturnData }) => ReturnData);
  const metrics = metricsOf({ Metrics });
  const mayBeMissing = metrics.length > 1 ? metrics.map(({ id }) => id) : [];
  return [
    ...ids.filter((id) => !/^[a-z]\w*$/.test(id)).map((id) => `${id} does not begin with a lower-case letter`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is defined twice`),
    ...used.filter(([id]) => !ids.includes(id)).map(([id]) => `${id} is not defined`),
    ...ids
      .filter((id) => id !== returned?.Id && !used.some(([name]) => name === id))
      .map((id) => `${id} is defined and not used`),
    ...used
      .filter(([id, within]) => mayBeMissing.includes(id) && !within.some((name) => WITHSTANDS_GAPS.includes(name)))
      .map(([id]) => `${id} may be missing, and with it the result`),
    ...(metrics.length > 10 ? ['more than ten metrics'] : []),
    ...(expressions.size > 10 ? ['more than ten expressions'] : []),
    ...(returned === undefined || others.length > 0 ? ['not one result'] : []),
    ...typeFaults(Metrics, expressions),
    ...(new Set(metrics.map(({ Period }) => Period)).size > 1 ? ['metrics of different periods'] : []),
  ];
}

function typeFaults(queries: readonly Query[], expressions: ReadonlyMap<string, Expression>): string[] {
  return [...expressions].flatMap(([id, expression]) => {
    try {
      const type = typeOf(expression, (name) => (queries.some(({ Id }) => Id === name) ? 'series' : undefined));
      return type === 'series' ? [] : [`${id} is not one series but a ${type}`];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

interface Published {
  /** Values of the last periods, by the id of the metric; the last one is that of now. A metric that is not named was not published at all. */
  readonly series: Readonly<Record<string, Series>>;
  readonly quotas?: Readonly<Record<string, number>>;
}

/** Whether an alarm of one expression is raised by these values. */
export function isRaised(alarm: Alarm, { series, quotas = {} }: Published, reading: Reading): boolean {
  const ids = metricsOf(alarm).map(({ id }) => id);
  const unknown = Object.keys({ ...series, ...quotas }).filter((id) => !ids.includes(id));
  if (unknown.length > 0) throw new TypeError(`${alarm.AlarmName} has no metric ${unknown.join()}`);
  const [[, expression] = [], ...others] = expressionsOf(alarm.Metrics);
  if (expression === undefined || others.length > 0) throw new TypeError(`${alarm.AlarmName} is not one expression`);
  const periods = alarm.EvaluationPeriods;
  const all = Object.fromEntries(ids.map((id) => [id, lastOf(series[id] ?? [], periods)]));
  const result = evaluate(expression, { series: all, quotas, reading }) as Series;
  const bad = result.filter((value) => value !== undefined && value >= alarm.Threshold);
  return bad.length >= alarm.DatapointsToAlarm;
}

const lastOf = (series: Series, periods: number): Series =>
  Array.from({ length: periods }, (_, index) => series[series.length - periods + index]);
