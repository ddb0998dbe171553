import { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { failures } from '../metrics.ts';
import { countLines, failedInGateway } from './log-metrics.ts';
import { type Measure, rate } from './metric-math.ts';
import { Subject } from './subject.ts';

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
}

/** In an hour, 2 % of a month's error budget. */
export const FAST: Burn = { times: 14.4, atLeast: 3, window: Duration.hours(1) };
/** In six hours, 5 %. */
const STEADY: Burn = { times: 6, atLeast: 5, window: Duration.hours(6) };
/** In three days, 10 %. */
export const SLOW: Burn = { times: 1, atLeast: 10, window: Duration.days(3) };

/** The percentage of failures at this burn rate. It divides, because 14.4 times 0.1 is not exactly 1.44. */
export const percentOf = (times: number): number => times / BUDGET;

interface ObjectiveAlarmsProps {
  readonly topics: readonly ITopic[];
  readonly accessLogs: ILogGroup;
  readonly requests: IMetric;
  /** Calls of the health check, which are no requests of callers. */
  readonly healthChecks: IMetric | undefined;
  /** Whether to use only the metrics that a small stage pays for. */
  readonly isSmall: boolean;
}

/** Alarms for failed requests, whatever the reason. */
export class ObjectiveAlarms extends Subject {
  readonly #requests: IMetric;
  readonly #failed: Readonly<Record<string, IMetric>>;

  constructor(
    scope: Construct,
    id: string,
    { topics, accessLogs, requests, healthChecks, isSmall }: ObjectiveAlarmsProps,
  ) {
    super(scope, id, topics);
    this.#requests = requests;
    this.#failed = failures(this);
    countLines(this, 'FailedInGateway', accessLogs, 'RequestsFailed', failedInGateway(), { withZeros: false });
    this.alarm('api-failing', {
      ...rate({
        part: this.#failed,
        whole: { requests },
        ...(healthChecks === undefined ? {} : { without: { healthChecks } }),
        percent: 80,
        atLeast: 3,
        period: Duration.minutes(15),
      }),
      meaning: '80 % of the requests of a quarter of an hour, and at least 3, got a status of 500 or more',
      periods: [1, 1],
    });
    this.alarm('api-burn-3d', { ...this.#burn(SLOW), meaning: meaningOf(SLOW, 'three days'), periods: [1, 1] });
    if (isSmall) {
      this.alarm('api-burn-1h-long', {
        ...this.#burn(FAST),
        meaning: meaningOf(FAST, 'an hour'),
        runbook: 'api-burn-1h',
        periods: [1, 1],
      });
      return;
    }
    this.#burning('api-burn-1h', { burn: FAST, during: 'an hour', short: Duration.minutes(5), still: 'five minutes' });
    this.#burning('api-burn-6h', {
      burn: STEADY,
      during: 'six hours',
      short: Duration.minutes(30),
      still: 'half an hour',
    });
  }

  /**
   * The long window shows that the failures matter, the short one that they continue. So the alarm ends soon after the
   * failures.
   */
  #burning(
    name: string,
    { burn, during, short, still }: { readonly burn: Burn; readonly during: string; short: Duration; still: string },
  ): void {
    const meaning = meaningOf(burn, during);
    const alarms = [
      this.silentAlarm(`${name}-long`, { ...this.#burn(burn), meaning, runbook: name, periods: [1, 1] }),
      this.silentAlarm(`${name}-short`, {
        ...this.#burn({ ...burn, window: short, atLeast: 1 }),
        meaning: meaningOf({ ...burn, atLeast: 1 }, still),
        runbook: name,
        periods: short.toMinutes() > 5 ? [1, 1] : [1, 2],
      }),
    ];
    this.allOf(name, `${meaning}, and it goes on`, alarms);
  }

  #burn({ times, atLeast, window }: Burn): Measure {
    return rate({
      part: this.#failed,
      whole: { requests: this.#requests },
      percent: percentOf(times),
      atLeast,
      period: window,
    });
  }
}

const meaningOf = ({ times, atLeast }: Burn, during: string): string =>
  `${percentOf(times)} % of the requests of ${during}, and at least ${atLeast}, got a status of 500 or more`;
