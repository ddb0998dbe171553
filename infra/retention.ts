import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/**
 * What becomes of a resource that holds something when its stack goes: it stays, unless the stage says otherwise. One whose creation is rolled
 * back holds nothing yet, and goes. None of them may have a name of its own choosing, which would be taken when the stage is deployed again
 * (`docs/decisions/0162-stacks.md`).
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 */
export const retention = ({ deletionProtection }: Settings): RemovalPolicy =>
  deletionProtection ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
