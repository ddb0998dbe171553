import { Duration } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** How the account administers KMS keys. */

/** The waiting period of a key's deletion: the longest that KMS offers. */
export const PENDING_WINDOW = Duration.days(30);

/** The account's rights on each key. */
export const administration = (): PolicyStatement =>
  new PolicyStatement({
    principals: [new AccountRootPrincipal()],
    actions: ADMINISTRATION.map((action) => `kms:${action}`),
    resources: ['*'],
  });

/** All rights to administer a key, none to use it, and no grants, which would pass on its use. */
const ADMINISTRATION = [
  'DescribeKey',
  'GetKeyPolicy',
  'PutKeyPolicy',
  'ListKeyPolicies',
  'ListResourceTags',
  'TagResource',
  'UntagResource',
  'EnableKey',
  'DisableKey',
  'GetKeyRotationStatus',
  'ListKeyRotations',
  'EnableKeyRotation',
  'DisableKeyRotation',
  'RotateKeyOnDemand',
  'UpdateKeyDescription',
  'ReplicateKey',
  'UpdatePrimaryRegion',
  'ScheduleKeyDeletion',
  'CancelKeyDeletion',
  'ListGrants',
  'RevokeGrant',
];
