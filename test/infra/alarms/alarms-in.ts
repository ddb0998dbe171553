import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { resourcesOf, type Templates } from '../synthesize.ts';
import { faultsIn } from './formula.ts';

const metricSchema = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]),
});
const querySchema = z.union([
  z.strictObject({ Id: z.string(), Expression: z.string(), ReturnData: z.literal(true).default(true) }),
  z.strictObject({
    Id: z.string(),
    MetricStat: z.strictObject({ Metric: metricSchema, Period: z.number(), Stat: z.string() }),
    ReturnData: z.literal(false),
  }),
]);
/** An expression of metrics, or a metric alone. */
const watchedSchema = z.union([
  z.object({ Metrics: z.array(querySchema) }),
  metricSchema.extend({ Period: z.number(), Statistic: z.string() }),
]);
const alarmSchema = z.object({
  AlarmName: z.string(),
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()).default([]),
  OKActions: z.array(z.unknown()).default([]),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  DatapointsToAlarm: z.number(),
  EvaluationPeriods: z.number(),
  Threshold: z.number(),
  TreatMissingData: z.enum(['notBreaching', 'breaching', 'ignore']),
});
interface Watched {
  readonly id: string;
  readonly Metric: z.infer<typeof metricSchema>;
  readonly Period: number;
  readonly Stat: string;
}
export interface Alarm extends z.infer<typeof alarmSchema> {
  readonly metrics: readonly Watched[];
  readonly expressions: readonly string[];
}

/** The alarms of a template, or of all stacks, by their names without what all of them begin with. */
export const alarmsIn = (of: Template | Templates, prefix: string): ReadonlyMap<string, Alarm> =>
  new Map(
    resourcesOf(of, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => {
      const alarm = { ...alarmSchema.parse(Properties), ...watchedBy(watchedSchema.parse(Properties)) };
      return [alarm.AlarmName.replace(`${prefix}-`, ''), alarm];
    }),
  );

function watchedBy(watched: z.infer<typeof watchedSchema>): Pick<Alarm, 'metrics' | 'expressions'> {
  if (!('Metrics' in watched)) {
    const { Period, Statistic, ...Metric } = watched;
    return { metrics: [{ id: 'value', Metric, Period, Stat: Statistic }], expressions: ['value'] };
  }
  return {
    metrics: watched.Metrics.flatMap((query) => ('MetricStat' in query ? [{ id: query.Id, ...query.MetricStat }] : [])),
    expressions: watched.Metrics.flatMap((query) => ('Expression' in query ? [query.Expression] : [])),
  };
}

/** What is told while all of some alarms are raised, by name; and the names of these alarms. */
export function compositesIn(template: Template, prefix: string) {
  const nameOf = new Map(
    resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => [
      id,
      String(Properties.AlarmName).replace(`${prefix}-`, ''),
    ]),
  );
  const schema = z.object({
    AlarmName: z.string(),
    AlarmDescription: z.string(),
    AlarmActions: z.array(z.unknown()).default([]),
    OKActions: z.array(z.unknown()).default([]),
    AlarmRule: z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) }),
  });
  return new Map(
    resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm').map(([, { Properties }]) => {
      const { AlarmRule, ...alarm } = schema.parse(Properties);
      const rule = AlarmRule['Fn::Join'][1]
        .map((part) =>
          typeof part === 'string'
            ? part
            : z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }).parse(part)['Fn::GetAtt'][0],
        )
        .join('');
      const all = /^\((ALARM\("\w+"\)(?: AND ALARM\("\w+"\))*)\)$/.exec(rule)?.[1];
      if (all === undefined) throw new TypeError(`${rule} is not all of some alarms`);
      const names = Array.from(all.matchAll(/"(\w+)"/g), ([, id = '']) => nameOf.get(id) ?? id);
      return [alarm.AlarmName.replace(`${prefix}-`, ''), { ...alarm, names }];
    }),
  );
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

/**
 * Properties of an alarm that CloudWatch would refuse, or with which it would never be raised:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
 */
export function faultsOf({ metrics, expressions, EvaluationPeriods: periods }: Alarm): string[] {
  const ids = metrics.map(({ id }) => id);
  const [{ Period: period } = { Period: 0 }] = metrics;
  return [
    ...ids.filter((id) => !/^[a-z]\w*$/.test(id)).map((id) => `${id} does not begin with a lower-case letter`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is defined twice`),
    ...(metrics.length > 10 ? ['more than ten metrics'] : []),
    ...(expressions.length === 1 ? expressions.flatMap((each) => faultsIn(each, ids)) : ['not one result']),
    ...(metrics.some(({ Period }) => Period !== period) ? ['metrics of different periods'] : []),
    ...(period * periods > (period < HOUR ? DAY : 7 * DAY) ? ['looks back too far'] : []),
    // A metric alone has a value where it is published, and a long period has more than its last minutes.
    ...(ids.length > 1 && period <= 300 && periods === 1
      ? ['waits for the last period, which is not published yet']
      : []),
  ];
}
