import { Duration } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** How the account keeps keys of KMS. */

/** How long a key that is to be deleted waits: the longest that KMS offers. */
export const PENDING_WINDOW = Duration.days(30);

/** What the account may do with any of the keys. */
export const administration = (): PolicyStatement =>
  new PolicyStatement({
    principals: [new AccountRootPrincipal()],
    actions: ADMINISTRATION.map((action) => `kms:${action}`),
    resources: ['*'],
  });

/** All that keeps a key, nothing that uses it; no grants either, which would hand its use on. */
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
