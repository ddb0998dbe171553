import { Stack, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';

/** Resources of this account and region by a pattern of their names, such as `table/custodia-prod.*`, and the reason why it is one. */
export interface ArnPattern {
  readonly service: string;
  readonly resource: string;
  readonly reason: string;
}

/** The ARN of such a pattern, for a right of this role, which cdk-nag then accepts. */
export function arnPattern(role: Role, { service, resource, reason }: ArnPattern): string {
  const { partition, region, account } = Stack.of(role);
  // As cdk-nag spells what is only known when it is deployed.
  const spelled = `arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${resource}`;
  Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${spelled}]`, reason });
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}
