import type { CfnResource } from 'aws-cdk-lib';
import { CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

/**
 * CloudFormation makes all resources at once that do not depend on each other, and CodeDeploy and Lambda refuse a
 * number of calls at once, which fails the stack (https://github.com/aws/aws-cdk/issues/21516,
 * https://github.com/aws/aws-cdk/issues/9882).
 */
const AT_ONCE = 5;

/** Resources whose creation is refused when there are many at once. None of these refers to another of its type. */
const THROTTLED = [CfnDeploymentGroup, CfnEventSourceMapping] as const;

/** Has at most five resources of such a type made at once: each waits for the one that is five places before it. */
export function createInWaves(stack: IConstruct): void {
  for (const type of THROTTLED) {
    const resources = stack.node.findAll().filter((each): each is CfnResource => each instanceof type);
    for (const [index, resource] of resources.entries()) {
      const earlier = resources[index - AT_ONCE];
      if (earlier !== undefined) resource.addResourceDependency(earlier);
    }
  }
}
