import { type Alarm, isRaised, type Series } from './alarms-in.ts';

/** What is published of the API in one minute. */
export interface Minute {
  readonly requests: number;
  readonly failed: number;
}

/** By how many minutes ago: 1 is the one that has just ended. */
export type Traffic = (ago: number) => Minute;

/** CloudWatch is so many minutes behind. */
const UNPUBLISHED = 2;

/** Whether an alarm about the API is raised by this traffic, of which the heartbeat makes one call a minute. */
export function isRaisedBy(alarm: Alarm, traffic: Traffic): boolean {
  const series = Object.fromEntries(
    alarm.metrics.map(({ id, Metric, Period }): [string, Series] => [
      id,
      Array.from({ length: alarm.EvaluationPeriods }, (_, index) => {
        const from = (alarm.EvaluationPeriods - 1 - index) * (Period / 60);
        return sumOf(from, from + Period / 60, (ago) => countOf(Metric.MetricName, traffic(ago)));
      }),
    ]),
  );
  return isRaised(alarm, series);
}

function countOf(metric: string, { requests, failed }: Minute): number {
  switch (metric) {
    case 'Count':
      return requests + 1;
    case '5XXError':
      return failed;
    case 'Invocations':
      return 1;
    default:
      throw new TypeError(`${metric} is none of the API`);
  }
}

function sumOf(from: number, to: number, count: (ago: number) => number): number {
  let sum = 0;
  for (let ago = Math.max(from, UNPUBLISHED); ago < to; ago++) sum += count(ago + 1);
  return sum;
}

const during =
  (first: number, last: number, minute: Minute): Traffic =>
  (ago) =>
    ago >= first && ago <= last ? minute : { requests: 0, failed: 0 };
const always =
  (minute: Minute): Traffic =>
  () =>
    minute;
/** So many an hour, one after the other, and the last of them a moment ago. */
const hourly =
  (requests: number, failed: number): Traffic =>
  (ago) => ({ requests: inMinute(requests / 60, ago), failed: inMinute(failed / 60, ago) });
const inMinute = (rate: number, ago: number): number => Math.floor((ago - 4) * rate) - Math.floor((ago - 5) * rate);

const FEW = { requests: 4, failed: 4 };

/** What traffic tells somebody by which alarms, and what tells nobody. */
export const TRAFFIC: Readonly<Record<string, readonly [traffic: Traffic, told: readonly string[]]>> = {
  '4 of 4 requests fail': [during(4, 4, FEW), ['api-burn-1h', 'api-failing']],
  '4 of 4 failed, and nobody has called for ten minutes': [during(13, 13, FEW), ['api-failing']],
  'each of a request every five minutes fails, for days': [
    (ago) => (ago % 5 === 0 ? { requests: 1, failed: 1 } : { requests: 0, failed: 0 }),
    ['api-burn-1h', 'api-burn-3d', 'api-burn-6h', 'api-failing'],
  ],
  '2 % of 200 requests fail in five minutes': [
    (ago) => during(3, 7, { requests: 40, failed: ago === 5 ? 0 : 1 })(ago),
    ['api-burn-1h'],
  ],
  '2 % of 200 an hour fail, for days': [hourly(200, 4), ['api-burn-1h', 'api-burn-3d', 'api-burn-6h']],
  '0.9 % of 20,000 a day fail, for days': [hourly(20_000 / 24, 180 / 24), ['api-burn-3d', 'api-burn-6h']],
  '0.9 % of 20,000 in three days fail': [hourly(20_000 / 72, 180 / 72), ['api-burn-3d', 'api-burn-6h']],
  '0.9 % of 20,000 in five minutes fail, for days': [
    always({ requests: 4_000, failed: 36 }),
    ['api-burn-3d', 'api-burn-6h'],
  ],
  '0.2 % fail, for days': [hourly(10_000, 20), ['api-burn-3d']],
  'all failed for ten minutes, an hour ago': [during(60, 70, { requests: 100, failed: 100 }), ['api-burn-3d']],

  '0.05 % fail, for days': [hourly(10_000, 5), []],
  '1 of 1 fails': [during(5, 5, { requests: 1, failed: 1 }), []],
  '2 of 2 fail': [during(5, 5, { requests: 2, failed: 2 }), []],
  'one of ten an hour fails, for an hour': [during(3, 59, { requests: 10 / 60, failed: 1 / 60 }), []],
  'nobody calls': [always({ requests: 0, failed: 0 }), []],
  'many call, and none is failed': [always({ requests: 10_000, failed: 0 }), []],
};
