/**
 * What the emulator (ministack 1.5.33) lacks of what the stage needs. The trial deployment leaves it out, and so proves
 * nothing about it. It fails when this list is too short, and when it is too long: something that the emulator has
 * learned is to be tried from then on.
 */

/** Types of resources that its CloudFormation does not recognize. */
export const LACKING_TYPES: readonly string[] = [
  'AWS::Backup::BackupSelection',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
];

/** Each has a probe (`probes.ts`), and something that stands in for it (`assembly.ts`, `gateway.ts`). */
export const LACKING_FEATURES = {
  'alarms over metric math': 'such alarms are left out',
  'generated names of log groups': 'named as CloudFormation would, by which the operator’s commands find them',
  'gateway responses in the document of the API': 'put one by one',
  'point-in-time recovery': 'backup status is expected to say that there is none',
  'x-amazon-apigateway-any-method': 'methods that a path does not have are not tried',
} as const satisfies Readonly<Record<string, string>>;

/** The same of its IAM, in the lane where it is enforced. */
export const LACKING_OF_IAM = {
  'dynamodb:LeadingKeys': 'conditions on it are removed',
  'kms:EncryptionContext': 'conditions on it are removed',
  'resources of logs:DescribeLogGroups': 'allowed on all',
  'resources of logs:StartQuery': 'allowed on all',
  'resources of AWS Backup': 'allowed on all',
  'sqs:SendMessage for SendMessageBatch': 'allowed by a name that AWS does not have',
} as const satisfies Readonly<Record<string, string>>;

/** How what was found missing differs from the list, in a sentence each. */
export function differencesFrom(listed: readonly string[], missing: readonly string[]): readonly string[] {
  return [
    ...missing
      .filter((each) => !listed.includes(each))
      .map((each) => `The emulator lacks ${each}: decide how to go on without, and list it in lacking.ts.`),
    ...listed
      .filter((each) => !missing.includes(each))
      .map((each) => `The emulator no longer lacks ${each}, or nothing needs it: take it out of lacking.ts.`),
  ];
}
