import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as Target } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { RoleWithRights } from './roles/role.ts';
import { functionCode, functionNameOf, mayWriteTo, NODE } from './service-function.ts';
import type { Settings } from './settings.ts';
import { logGroup } from './stacks/stage-stack.ts';

/** The function that calls the health check; no contract is served by it. */
export const HEARTBEAT = 'heartbeat';

interface HeartbeatProps {
  /** Directory whose `index.mjs` exports `handler`. */
  readonly bundle: string;
  /** Address of the health check. */
  readonly url: string;
  readonly settings: Settings;
}

/**
 * Calls the health check once a minute. A canary of CloudWatch Synthetics would do the same for about $50 a month
 * (`docs/decisions/0056-alarms.md`).
 */
export class Heartbeat extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, { bundle, url, settings }: HeartbeatProps) {
    super(scope, id);
    const logs = logGroup(this, 'Logs', settings);
    const role = new RoleWithRights(this, 'Role', {
      description: `Custodia ${settings.stage}: runs ${HEARTBEAT}`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    role.addToPolicy(mayWriteTo(logs));
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName: functionNameOf(this, HEARTBEAT),
      ...NODE,
      code: functionCode(bundle),
      timeout: Duration.seconds(15),
      memorySize: 128,
      role,
      logGroup: logs,
      environment: { HEALTH_URL: url },
      // No retries: the next call follows in a minute.
      retryAttempts: 0,
    });
    const schedule = new Rule(this, 'Schedule', {
      description: 'Calls the health check once a minute',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new Target(this.lambda, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
    const reason = 'A call that failed is over: the alarm counts it, and the next is a minute away.';
    Validations.of(this.lambda).acknowledge(
      { id: 'Serverless-LambdaDLQ', reason },
      { id: 'Serverless-LambdaAsyncFailureDestination', reason },
      { id: 'Serverless-LambdaTracing', reason: 'It makes one call, which the called function traces.' },
    );
    Validations.of(schedule).acknowledge({ id: 'Serverless-EventBusDLQ', reason });
  }
}
