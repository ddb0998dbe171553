import { Validations } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { RollbackAlarms } from './alarms/rollback-alarms.ts';
import type { Functions } from './functions.ts';
import { AUTHORIZER } from './rights.ts';
import { RoleWithRights } from './role-with-rights.ts';

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
    const alarms = new RollbackAlarms(this, 'Alarms');
    this.#application = new LambdaApplication(this, 'Application');
    this.#role = this.#shiftingRole(aliases.map(([, alias]) => alias));
    for (const [name, alias] of aliases) {
      const own = name === AUTHORIZER ? [] : [alarms.ofNewVersion(name, alias)];
      this.#shift(name, alias, [alarms.api, ...own]);
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
