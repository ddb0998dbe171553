import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/**
 * A resource with data stays when its stack is deleted, unless the stage says otherwise. One whose creation is rolled
 * back holds no data yet, and is deleted. None of them may have a fixed name, which would be taken when the stage is
 * deployed again (`docs/decisions/0162-stacks.md`).
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 */
export const retention = ({ deletionProtection }: Settings): RemovalPolicy =>
  deletionProtection ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
