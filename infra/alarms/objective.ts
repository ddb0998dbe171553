import { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmRow, CompositeRow } from './alarm.ts';
import { rate } from './alarm.ts';

/** The service level objective: the percentage of requests with a status below 500. */
export const OBJECTIVE = 99.9;

/** Divides a multiple of the allowed failure rate into a percentage of failures. */
const BUDGET = 10;

/**
 * A burn rate: failures in a window, as a multiple of what the objective allows:
 * https://sre.google/workbook/alerting-on-slos/.
 */
interface Burn {
  readonly times: number;
  /** The smallest number of failures in the window that raises the alarm. */
  readonly atLeast: number;
  readonly window: Duration;
  /** The window in words. */
  readonly during: string;
}

/** In an hour, 2 % of a month's error budget. */
export const FAST: Burn = { times: 14.4, atLeast: 3, window: Duration.hours(1), during: 'an hour' };
/** In six hours, 5 %. */
const STEADY: Burn = { times: 6, atLeast: 5, window: Duration.hours(6), during: 'six hours' };
/** In three days, 10 %. */
export const SLOW: Burn = { times: 1, atLeast: 10, window: Duration.days(3), during: 'three days' };

/** The percentage of failures at this burn rate. It divides, because 14.4 times 0.1 is not exactly 1.44. */
export const percentOf = (times: number): number => times / BUDGET;

interface Requests {
  readonly requests: IMetric;
  readonly failed: Readonly<Record<string, IMetric>>;
  /** Calls of the health check, which are no requests of callers. */
  readonly healthChecks: IMetric | undefined;
  /** Whether to use only the metrics that a small stage pays for. */
  readonly isSmall: boolean;
}

/** Alarms for failed requests, whatever the reason. */
export function objectiveRows({ requests, failed, healthChecks, isSmall }: Requests): (AlarmRow | CompositeRow)[] {
  const burning = (name: string, burn: Burn): AlarmRow => {
    const { times, atLeast, window, during } = burn;
    const percent = percentOf(times);
    return {
      name,
      ...rate({ part: failed, whole: { requests }, percent, atLeast, period: window }),
      meaning: `${percent} % of the requests of ${during}, and at least ${atLeast}, got a status of 500 or more`,
      periods: window.toMinutes() > 5 ? [1, 1] : [1, 2],
    };
  };
  /**
   * The long window shows that the failures matter, the short one that they continue: the alarm ends soon after them.
   */
  const goingOn = (name: string, burn: Burn, short: Pick<Burn, 'window' | 'during'>): CompositeRow => {
    const long = { ...burning(`${name}-long`, burn), runbook: name };
    const still = { ...burning(`${name}-short`, { ...burn, ...short, atLeast: 1 }), runbook: name };
    return { name, meaning: `${long.meaning}, and it goes on`, allOf: [long, still] };
  };
  return [
    {
      name: 'api-failing',
      ...rate({
        part: failed,
        whole: { requests },
        ...(healthChecks === undefined ? {} : { without: { healthChecks } }),
        percent: 80,
        atLeast: 3,
        period: Duration.minutes(15),
      }),
      meaning: '80 % of the requests of a quarter of an hour, and at least 3, got a status of 500 or more',
      periods: [1, 1],
    },
    burning('api-burn-3d', SLOW),
    ...(isSmall
      ? [{ ...burning('api-burn-1h-long', FAST), runbook: 'api-burn-1h' }]
      : [
          goingOn('api-burn-1h', FAST, { window: Duration.minutes(5), during: 'five minutes' }),
          goingOn('api-burn-6h', STEADY, { window: Duration.minutes(30), during: 'half an hour' }),
        ]),
  ];
}
