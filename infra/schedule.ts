import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as Target } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { FunctionAlias } from './service-function.ts';

const EVERY = Duration.minutes(5);

/** Calls a function every five minutes, which finds again whatever an earlier call has left. */
export function callOnSchedule(scope: Construct, { alias }: { readonly alias: FunctionAlias }, description: string) {
  const schedule = new Rule(scope, 'Schedule', {
    description,
    schedule: Schedule.rate(EVERY),
    targets: [new Target(alias, { retryAttempts: 2, maxEventAge: EVERY })],
  });
  Validations.of(schedule).acknowledge({
    id: 'Serverless-EventBusDLQ',
    reason: 'A call that was not made is over: the next one, five minutes later, finds whatever it would have found.',
  });
}
