import { RemovalPolicy, Stack, type StackProps, Tags, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html */
const POLICY = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/**
 * The role under which API Gateway writes its logs. An account has one in each region, for all stages there, so it has
 * its own stack (`docs/decisions/0162-stacks.md`).
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-account.html
 */
export class GatewayLogRole extends Stack {
  constructor(scope: Construct, props: Pick<StackProps, 'permissionsBoundary'> = {}) {
    const description = 'Custodia: lets API Gateway write its logs, for all stages';
    super(scope, 'api-gateway-log-role', { description, ...props });
    const role = new Role(this, 'Role', {
      description: 'Writes the logs of API Gateway',
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(POLICY)],
    });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${POLICY}]`,
      reason: 'AWS asks for this policy, and API Gateway refuses a role that lacks what it needs.',
    });
    const setting = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    // CloudFormation does not unset the account's setting, which would then name a deleted role.
    for (const each of [role, setting]) each.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    Tags.of(this).add('service', 'custodia');
  }
}
