import { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { apiMetric } from '../api-metric.ts';
import { type Measure, rate } from './metric-math.ts';
import { Subject } from './subject.ts';

/** Per cent of requests that are to get a status below 500. */
export const OBJECTIVE = 99.9;

/** By what a multiple is divided, to be a percentage. */
const BUDGET = 10;

/** A rate of failures, as a multiple of what the objective allows, over a window: https://sre.google/workbook/alerting-on-slos/. */
interface Burn {
  readonly times: number;
  /** Failures in the window: fewer are no alarm, however few requests there are. */
  readonly atLeast: number;
  readonly window: Duration;
}

/** In an hour, a fiftieth of what the objective allows in a month. */
export const FAST: Burn = { times: 14.4, atLeast: 3, window: Duration.hours(1) };
/** In six hours, a twentieth. */
const STEADY: Burn = { times: 6, atLeast: 5, window: Duration.hours(6) };
/** In three days, a tenth. */
export const SLOW: Burn = { times: 1, atLeast: 10, window: Duration.days(3) };

/** Per cent of failures that are so many times what the objective allows. Divided, for 14.4 times 0.1 is not 1.44. */
export const percentOf = (times: number): number => times / BUDGET;

interface ObjectiveAlarmsProps {
  readonly topics: readonly ITopic[];
  readonly requests: IMetric;
  /** Calls of the health check, which say nothing of how callers are served. */
  readonly healthChecks: IMetric | undefined;
  /** Whether there are only as many metrics as a small stage pays for. */
  readonly isSmall: boolean;
}

/** Whether callers are failed, whatever the reason. */
export class ObjectiveAlarms extends Subject {
  readonly #requests: IMetric;

  constructor(scope: Construct, id: string, { topics, requests, healthChecks, isSmall }: ObjectiveAlarmsProps) {
    super(scope, id, topics);
    this.#requests = requests;
    this.alarm('api-failing', {
      ...rate({
        part: { failed: this.#failed() },
        whole: { requests },
        ...(healthChecks === undefined ? {} : { without: { healthChecks } }),
        percent: 80,
        atLeast: 3,
        period: Duration.minutes(15),
      }),
      meaning:
        '80 % of the requests of a quarter of an hour, and at least 3, were answered with a status of 500 or more',
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

  /** Over a long window, that it is worth a call, and over a short one, that it goes on: so it is over soon after the failures are. */
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
    const [part, whole] = [{ failed: this.#failed() }, { requests: this.#requests }];
    return rate({ part, whole, percent: percentOf(times), atLeast, period: window });
  }

  #failed(): IMetric {
    return apiMetric(this, '5XXError', { statistic: 'Sum' });
  }
}

const meaningOf = ({ times, atLeast }: Burn, during: string): string =>
  `${percentOf(times)} % of the requests of ${during}, and at least ${atLeast}, were answered with a status of 500 or more`;
