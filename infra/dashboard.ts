import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type HorizontalAnnotation,
  type IMetric,
  type IWidget,
  MathExpression,
  type MetricOptions,
  Row,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Operation } from 'aws-cdk-lib/aws-dynamodb';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Contract } from '#contract';
import { type Counter, DECISIONS, type Outcome, STATUS_CLASSES } from '#telemetry';
import { FAST, OBJECTIVE, percentOf, SLOW } from './alarms/objective.ts';
import { deadLettersName, queueName } from './deliveries.ts';
import type { Firewall } from './firewall.ts';
import { apiMetric, callsOfKms, counterMetric, ended, failures, type LogMetric, queueMetric } from './metrics.ts';
import type { FunctionMetrics, Observed } from './observed.ts';
import { AUTHORIZER, BACKGROUND, DELIVERY_WAKE_UP } from './rights.ts';
import { prefixOf } from './stacks/stage-stack.ts';
import type { TableReference } from './table.ts';

interface StageDashboardProps {
  readonly contracts: readonly Contract[];
  readonly observed: Observed;
  readonly table: TableReference;
  readonly firewall: Firewall | undefined;
}

/** Operations of the table whose latency is shown: the usual ones of a request. */
const TIMED: readonly Operation[] = [
  ...[Operation.GET_ITEM, Operation.QUERY, Operation.BATCH_GET_ITEM],
  ...[Operation.UPDATE_ITEM, Operation.TRANSACT_WRITE_ITEMS],
];

/** The dashboard of a stage: the whole API, each domain, and what they depend on. */
export class StageDashboard extends Construct {
  constructor(scope: Construct, id: string, { contracts, observed, table, firewall }: StageDashboardProps) {
    super(scope, id);
    new Dashboard(this, 'Page', {
      // Names of dashboards are unique in an account, across its regions.
      dashboardName: `${prefixOf(this)}-${Stack.of(this).region}`,
      widgets: [
        [heading('API')],
        [this.#apiRow()],
        [this.#objectiveRow()],
        [this.#authorizerRow(observed)],
        [heading('Domains')],
        ...contracts.map(({ name }) => [domainRow(this, name, observed.lambda(name))]),
        [heading('What they depend on')],
        [this.#tableRow(table)],
        [this.#listsAndKeysRow(firewall)],
        [heading('Deliveries')],
        [this.#endpointsRow()],
        [this.#wakeUpsRow(observed)],
      ],
    });
  }

  #apiRow(): IWidget {
    const latency = (statistic: string): IMetric => apiMetric(this, 'Latency', { statistic, label: statistic });
    return row(
      [
        'requests and errors',
        [
          apiMetric(this, 'Count', { statistic: 'Sum', label: 'requests' }),
          apiMetric(this, '4XXError', { statistic: 'Sum', label: '4xx' }),
          apiMetric(this, '5XXError', { statistic: 'Sum', label: '5xx' }),
        ],
      ],
      ['time in ms', [latency('p50'), latency('p99')]],
      [
        'refused as too many',
        (['TooManyRequests', 'BudgetRefusals', 'RequestsContended'] as const).map((name) => filled(this, name)),
      ],
      [
        'containers',
        [
          filled(this, 'ColdStarts'),
          LambdaFunction.metricAllConcurrentExecutions({ statistic: 'Maximum', label: 'at once, in the account' }),
        ],
      ],
    );
  }

  /** The burn rate of the objective, and refusals. */
  #objectiveRow(): IWidget {
    const share = new MathExpression({
      expression: '100 * FILL(failed, 0) / FILL(requests, 0)',
      usingMetrics: {
        ...failures(this),
        requests: apiMetric(this, 'Count', { statistic: 'Sum' }),
      },
      period: Duration.hours(1),
      label: '5xx',
    });
    const lines = [SLOW, FAST].map(({ times }) => ({
      value: percentOf(times),
      label: times === 1 ? `objective: ${OBJECTIVE} %` : `${times} times what it allows`,
    }));
    return row(
      ['failed, in per cent of each hour', [share], { leftAnnotations: lines }],
      ['logins refused, calls denied by AWS', [filled(this, 'FailedLogins'), filled(this, 'AccessDenied')]],
    );
  }

  #authorizerRow(observed: Observed): IWidget {
    const lambda = observed.lambda(AUTHORIZER);
    return row(
      [`${AUTHORIZER}: decisions`, DECISIONS.map((each) => ended(this, AUTHORIZER, each)), { stacked: true }],
      [`${AUTHORIZER}: time in ms`, durations(lambda)],
      [`${AUTHORIZER}: throttled and failed`, [throttles(lambda), filled(this, 'AuthorizerFailures')]],
    );
  }

  #tableRow(table: TableReference): IWidget {
    const sum = (name: string): IMetric => table.metric(name, { statistic: 'Sum', label: name });
    return row(
      ['table: units', [sum('ConsumedReadCapacityUnits'), sum('ConsumedWriteCapacityUnits')]],
      [
        'table: average time in ms',
        TIMED.map((operation) =>
          table.metric('SuccessfulRequestLatency', {
            statistic: 'Average',
            dimensionsMap: { TableName: table.tableName, Operation: operation },
            label: operation,
          }),
        ),
      ],
      ['table: throttled', [sum('ReadThrottleEvents'), sum('WriteThrottleEvents')]],
      [
        'table: calls, retries and conflicts',
        [filled(this, 'TableCalls'), filled(this, 'TableRetries'), filled(this, 'TransactionConflicts')],
      ],
    );
  }

  /** What becomes of deliveries to webhook endpoints. */
  #endpointsRow(): IWidget {
    return row(
      ['webhook endpoints: calls', [filled(this, 'DeliveriesMade'), filled(this, 'DeliveriesFailed')]],
      [
        'webhook endpoints: stopped, and events given up',
        [filled(this, 'EndpointsStopped'), filled(this, 'EventsSkipped')],
      ],
      ['webhook endpoints: behind', [filled(this, 'EndpointsBehind')]],
    );
  }

  /** What wakes deliveries, and whether it does so in time. */
  #wakeUpsRow(observed: Observed): IWidget {
    const [queue, deadLetters] = [queueName(this), deadLettersName(this)];
    return row(
      [
        'wake-ups that wait',
        [
          queueMetric(queue, 'ApproximateNumberOfMessagesVisible', { label: 'in the queue' }),
          queueMetric(deadLetters, 'ApproximateNumberOfMessagesVisible', { label: 'dead letters' }),
        ],
      ],
      [
        'how long, at most',
        [
          queueMetric(queue, 'ApproximateAgeOfOldestMessage', { label: 'in the queue, in s' }),
          observed
            .lambda(DELIVERY_WAKE_UP)
            .metric('IteratorAge', { statistic: 'Maximum', label: 'in the stream, in ms' }),
        ],
      ],
      ['calls of the functions', ofBackground(observed, 'Invocations', { statistic: 'Sum' }), { stacked: true }],
      ['failed calls', ofBackground(observed, 'Errors', { statistic: 'Sum' })],
    );
  }

  #listsAndKeysRow(firewall: Firewall | undefined): IWidget {
    return row(
      ['lists: repairs', [filled(this, 'ListFences'), filled(this, 'ListReturns'), filled(this, 'ListCompactions')]],
      [
        'keys and sessions: calls',
        [
          filled(this, 'KmsCalls'),
          filled(this, 'StsCalls'),
          filled(this, 'ThrottledByKms'),
          callsOfKms('Symmetric').with({ label: 'KMS, of the account' }),
          callsOfKms('Ecc').with({ label: 'signatures, of the account' }),
        ],
      ],
      ...(firewall === undefined ? [] : [firewallGraph(firewall)]),
    );
  }
}

/** A graph of the functions of deliveries. */
const ofBackground = (observed: Observed, metricName: string, options: MetricOptions): readonly IMetric[] =>
  BACKGROUND.map((name) => observed.lambda(name).metric(metricName, { ...options, label: name }));

const firewallGraph = (firewall: Firewall): Graph => [
  'firewall',
  [firewall.requests('AllowedRequests'), firewall.requests('BlockedRequests')],
  { stacked: true },
];

const heading = (text: string): IWidget => new TextWidget({ markdown: `## ${text}`, width: 24, height: 1 });

/** The row of a domain: requests, failures, latency, and calls that Lambda did not carry out. */
export const domainRow = (scope: Construct, domain: string, lambda: FunctionMetrics): IWidget =>
  row(
    [`${domain}: requests`, STATUS_CLASSES.map((outcome) => ended(scope, domain, outcome)), { stacked: true }],
    [`${domain}: errors in per cent`, [share(scope, domain, '4xx'), share(scope, domain, '5xx')]],
    [`${domain}: time in ms`, durations(lambda)],
    [
      `${domain}: throttled and crashed`,
      [throttles(lambda), lambda.metric('Errors', { statistic: 'Sum', label: 'crashed' })],
    ],
  );

/** Percentage of a domain's requests with this outcome. */
function share(scope: Construct, domain: string, outcome: Outcome): IMetric {
  const idOf = (each: Outcome): string => `of${each}`;
  const filledOf = (each: Outcome): string => `FILL(${idOf(each)}, 0)`;
  return new MathExpression({
    expression: `100 * ${filledOf(outcome)} / (${STATUS_CLASSES.map(filledOf).join(' + ')})`,
    usingMetrics: Object.fromEntries(STATUS_CLASSES.map((each) => [idOf(each), ended(scope, domain, each)])),
    label: outcome,
  });
}

/** The graphs of a dashboard. */

/**
 * Columns of a dashboard:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
 */
const COLUMNS = 24;

interface More {
  readonly stacked?: boolean;
  /** Horizontal lines at thresholds. */
  readonly leftAnnotations?: HorizontalAnnotation[];
}

/** A title, and what the graph shows. */
export type Graph = readonly [title: string, metrics: readonly IMetric[], more?: More];

/** Graphs beside each other. */
export const row = (...graphs: readonly Graph[]): IWidget =>
  new Row(
    ...graphs.map(
      ([title, left, more]) => new GraphWidget({ title, left: [...left], width: COLUMNS / graphs.length, ...more }),
    ),
  );

/** Fills a metric that is published only where it is not zero. */
export function filled(scope: Construct, name: Counter | LogMetric): IMetric {
  const id = name.charAt(0).toLowerCase() + name.slice(1);
  return new MathExpression({
    expression: `FILL(${id}, 0)`,
    usingMetrics: { [id]: counterMetric(scope, name) },
    label: name,
  });
}

/** The time that a function takes: half of the calls take less than p50. */
export const durations = (lambda: FunctionMetrics): readonly IMetric[] =>
  ['p50', 'p99'].map((statistic) => lambda.metric('Duration', { statistic, label: statistic }));

export const throttles = (lambda: FunctionMetrics): IMetric =>
  lambda.metric('Throttles', { statistic: 'Sum', label: 'throttled' });
