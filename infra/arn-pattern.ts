import { Stack, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';

/**
 * Resources of this account and region by a pattern of their names, such as `table/custodia-prod.*`, and the reason for
 * a pattern.
 */
export interface ArnPattern {
  readonly service: string;
  readonly resource: string;
  readonly reason: string;
}

/** The ARN of such a pattern for a right of this role, with the exception from cdk-nag's rule. */
export function arnPattern(role: Role, { service, resource, reason }: ArnPattern): string {
  const { partition, region, account } = Stack.of(role);
  // cdk-nag's spelling of values that are known only at deployment.
  const spelled = `arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${resource}`;
  Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${spelled}]`, reason });
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}
