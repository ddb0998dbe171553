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
 * A new version of a function gets a tenth of its calls for five minutes, and all of them if no alarm was raised; else the alias goes back, and CloudFormation
 * with the whole stack. CodeDeploy shifts the aliases of all functions that change, side by side; a function's first deployment is at once
 * (`docs/decisions/0100-deploying.md`).
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
      // Else it would be given AWS's own policy, for all functions of the account.
      role: this.#role.withoutPolicyUpdates(),
    });
    // An alias is shifted once the role may do it.
    group.node.addDependency(this.#role);
  }

  /**
   * What AWSCodeDeployRoleForLambdaLimited allows, on these functions and their aliases, without hooks and revisions in S3, which are not used. An alias's
   * ARN is spelled out: the policy has to be there before the alias is shifted, and must not wait for it.
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
