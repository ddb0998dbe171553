import { Duration, Validations } from 'aws-cdk-lib';
import type { Alarm, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type AlarmRow, rate, silentAlarm } from './alarms/alarm.ts';
import type { Functions } from './functions.ts';
import { apiMetric, failures } from './metrics.ts';
import { AUTHORIZER } from './rights.ts';
import { RoleWithRights } from './roles/role.ts';

/**
 * A new version of a function gets a tenth of the calls for five minutes, then all of them. If an alarm is raised
 * meanwhile, CodeDeploy rolls back the alias, and CloudFormation the whole stack. CodeDeploy shifts the aliases of all
 * changed functions in parallel. A function's first deployment is all at once (`docs/decisions/0100-deploying.md`).
 */
export class Canary extends Construct {
  readonly #application: LambdaApplication;
  readonly #role: Role;

  constructor(scope: Construct, id: string, functions: Functions) {
    super(scope, id);
    const aliases = Array.from(functions.byName, ([name, { alias }]) => [name, alias] as const);
    const alarms = new Construct(this, 'Alarms');
    const ofApi = silentAlarm(alarms, apiRollbackRow(alarms));
    this.#application = new LambdaApplication(this, 'Application');
    this.#role = this.#shiftingRole(aliases.map(([, alias]) => alias));
    for (const [name, alias] of aliases) {
      const ofVersion = name === AUTHORIZER ? [] : [silentAlarm(alarms, versionRollbackRow(name, alias))];
      this.#shift(name, alias, [ofApi, ...ofVersion]);
    }
  }

  #shift(name: string, alias: Alias, alarms: Alarm[]): void {
    const group = new LambdaDeploymentGroup(this, name, {
      application: this.#application,
      alias,
      alarms,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      // Otherwise the CDK would attach AWS's own policy, which covers all functions of the account.
      role: this.#role.withoutPolicyUpdates(),
    });
    // An alias is shifted only after the role has this right.
    group.node.addDependency(this.#role);
  }

  /**
   * The rights of AWSCodeDeployRoleForLambdaLimited on these functions and their aliases only, without hooks and
   * revisions in S3, which are not used. It spells out an alias's ARN, because a reference would make the policy wait
   * for the alias, which is shifted only after the policy exists.
   */
  #shiftingRole(aliases: readonly Alias[]): Role {
    const role = new RoleWithRights(this, 'Role', {
      description: 'Shifts the aliases of the functions to their new versions',
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
        resources: aliases.flatMap(({ lambda, aliasName }) => [
          lambda.functionArn,
          `${lambda.functionArn}:${aliasName}`,
        ]),
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }));
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'CodeDeploy asks for alarms as AWS’s own policy lets it, on all; it reads their states and changes nothing.',
    });
    return role;
  }
}

/**
 * The alarms that roll back a deployment. They react sooner, to less, than the alarms that notify people. A canary
 * deployment takes five minutes, and CloudWatch lags by a minute or two.
 */
const ROLLBACK = { period: Duration.minutes(1), percent: 1 } as const;
const ROLLBACK_PERIODS = [1, 3] as const;

/** Failures for any reason, including error responses of functions and failures of the authorizer. */
const apiRollbackRow = (scope: Construct): AlarmRow => ({
  name: 'rollback-api',
  ...rate({
    part: failures(scope),
    whole: { requests: apiMetric(scope, 'Count', { statistic: 'Sum' }) },
    atLeast: 3,
    ...ROLLBACK,
  }),
  meaning: '1 % of the requests of a minute, and at least 3, got a status of 500 or more',
  periods: ROLLBACK_PERIODS,
});

/**
 * Measures only the version that is being deployed. The alias would mix it with the previous version, which takes nine
 * of ten calls: that would hide failures of the new version, and failures of the previous one would stop the
 * deployment. Not for the authorizer: to Lambda, its refusal of a token is an error.
 */
function versionRollbackRow(name: string, alias: Alias): AlarmRow {
  const { functionName } = alias.lambda;
  const dimensionsMap = {
    FunctionName: functionName,
    Resource: `${functionName}:${alias.aliasName}`,
    ExecutedVersion: alias.version.version,
  };
  const count = (metric: string): IMetric => alias.metric(metric, { statistic: 'Sum', dimensionsMap });
  return {
    name: `rollback-${name}`,
    ...rate({
      part: { errors: count('Errors') },
      whole: { invocations: count('Invocations') },
      atLeast: 2,
      ...ROLLBACK,
    }),
    meaning: `1 % of the calls of the new version of ${name} in a minute, and at least 2, crashed or ran out of time`,
    runbook: 'rollback',
    periods: ROLLBACK_PERIODS,
  };
}
