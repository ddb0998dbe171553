import { setTimeout as wait } from 'node:timers/promises';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { parseXML } from '@aws-sdk/xml-builder';
import { type AwsCall, callAws, callCloudFormation, callDynamoDb } from './aws.ts';
import { ACCOUNT, REGION } from './emulator.ts';
import { hasGatewayResponses } from './gateway.ts';
import type { LACKING_FEATURES, LACKING_OF_IAM } from './lacking.ts';

/** Each probe finds whether the emulator lacks something that is listed in `lacking.ts`. */

export type Probes<Names> = Readonly<Record<keyof Names, () => Promise<boolean>>>;

interface Deployed {
  /** Id of the API, before anything else is put into it. */
  readonly api: string;
  /** Where it is called, in front of `/api/v1`. */
  readonly url: string;
  readonly table: string;
}

export const featureProbes = ({ api, url, table }: Deployed): Probes<typeof LACKING_FEATURES> => ({
  'alarms over metric math': async () => {
    const stack = await makeStack('probe-alarm', {
      Alarm: {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: {
          ComparisonOperator: 'GreaterThanThreshold',
          EvaluationPeriods: 1,
          Threshold: 1,
          Metrics: [{ Id: 'one', Expression: 'TIME_SERIES(1)', ReturnData: true }],
        },
      },
    });
    return stack.status !== 'CREATE_COMPLETE';
  },
  'generated names of log groups': async () => {
    const { ids } = await makeStack('probe-log', { Group: { Type: 'AWS::Logs::LogGroup' } });
    return !/^probe-log-Group-\w+$/.test(ids.Group ?? '');
  },
  'gateway responses in the document of the API': async () => !(await hasGatewayResponses(api)),
  'point-in-time recovery': async () => {
    const { text } = await callDynamoDb('DescribeContinuousBackups', { TableName: table });
    return !/"PointInTimeRecoveryStatus": ?"ENABLED"/.test(text);
  },
  'x-amazon-apigateway-any-method': async () => {
    const { status } = await fetch(`${url}/api/v1/clients`, { method: 'DELETE' });
    return status !== 405;
  },
});

/** In an account whose IAM is enforced: a role that may do something under a condition, or by a name, tries it. */
export async function iamProbes(): Promise<Probes<typeof LACKING_OF_IAM>> {
  const { ids } = await makeStack('probe-iam', probeRole());
  const credentials = await sessionOf(`arn:aws:iam::${ACCOUNT}:role/${ids.Role}`);
  const isDenied = async (call: Pick<AwsCall, 'service' | 'method' | 'path' | 'target'>, body: object = {}) => {
    const contentType = 'application/x-amz-json-1.1';
    const { status, text } = await callAws({ ...call, contentType, body: JSON.stringify(body), credentials });
    if (status < 300 || /NotFound/.test(text)) return false;
    if (!/AccessDenied/.test(text)) throw new Error(`${JSON.stringify(call)} responded ${status}: ${text}`);
    return true;
  };
  return {
    'dynamodb:LeadingKeys': () =>
      isDenied(
        { service: 'dynamodb', target: 'DynamoDB_20120810.GetItem' },
        { TableName: ids.Table, Key: { key: { S: 'own' } } },
      ),
    'kms:EncryptionContext': () =>
      isDenied(
        { service: 'kms', target: 'TrentService.Encrypt' },
        { KeyId: ids.Key, Plaintext: 'YQ==', EncryptionContext: { tenant: 'own' } },
      ),
    'resources of logs:DescribeLogGroups': () =>
      isDenied({ service: 'logs', target: 'Logs_20140328.DescribeLogGroups' }, { logGroupNamePrefix: 'probe' }),
    'resources of logs:StartQuery': () =>
      isDenied(
        { service: 'logs', target: 'Logs_20140328.StartQuery' },
        { logGroupNames: ['probe'], queryString: 'fields @message', startTime: 0, endTime: 1 },
      ),
    'resources of AWS Backup': () =>
      isDenied({ service: 'backup', method: 'GET', path: `/backup-vaults/${ids.Vault}` }),
    'sqs:SendMessage for SendMessageBatch': () =>
      isDenied(
        { service: 'sqs', target: 'AmazonSQS.SendMessageBatch' },
        { QueueUrl: ids.Queue, Entries: [{ Id: '0', MessageBody: 'probe' }] },
      ),
  };
}

function probeRole(): object {
  const allow = (Action: string, Resource: unknown, Condition?: object) => ({
    Effect: 'Allow',
    Action,
    Resource,
    ...(Condition === undefined ? {} : { Condition }),
  });
  const arnOf = (resource: string, attribute = 'Arn') => ({ 'Fn::GetAtt': [resource, attribute] });
  const Statement = [
    allow('dynamodb:GetItem', arnOf('Table'), { 'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': ['own'] } }),
    allow('kms:Encrypt', arnOf('Key'), { StringEquals: { 'kms:EncryptionContext:tenant': 'own' } }),
    allow('logs:DescribeLogGroups', `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:*`),
    allow('logs:StartQuery', `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:probe*`),
    allow('backup:DescribeBackupVault', arnOf('Vault', 'BackupVaultArn')),
    allow('sqs:SendMessage', arnOf('Queue')),
  ];
  const root = { AWS: `arn:aws:iam::${ACCOUNT}:root` };
  return {
    Table: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
      },
    },
    Key: {
      Type: 'AWS::KMS::Key',
      Properties: { KeyPolicy: { Statement: [{ Effect: 'Allow', Action: 'kms:*', Resource: '*', Principal: root }] } },
    },
    Queue: { Type: 'AWS::SQS::Queue' },
    Vault: { Type: 'AWS::Backup::BackupVault', Properties: { BackupVaultName: 'probe' } },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: { Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: root }] },
        Policies: [{ PolicyName: 'Rights', PolicyDocument: { Version: '2012-10-17', Statement } }],
      },
    },
  };
}

async function sessionOf(role: string) {
  const command = new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 'probe' });
  const { Credentials: session } = await new STSClient().send(command);
  return {
    accessKeyId: session?.AccessKeyId ?? '',
    secretAccessKey: session?.SecretAccessKey ?? '',
    sessionToken: session?.SessionToken ?? '',
  };
}

interface Stack {
  readonly status: string;
  /** Physical ids, by logical ids. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Makes a stack and waits until that has ended in some way. */
async function makeStack(name: string, Resources: object): Promise<Stack> {
  const input = {
    StackName: name,
    TemplateBody: JSON.stringify({ Resources }),
    'Capabilities.member.1': 'CAPABILITY_IAM',
  };
  const { status, text } = await callCloudFormation('CreateStack', input);
  if (status >= 300) throw new Error(`CreateStack responded ${status}: ${text}`);
  let state = 'CREATE_IN_PROGRESS';
  while (state.endsWith('_IN_PROGRESS')) {
    await wait(250);
    const described = await callCloudFormation('DescribeStacks', { StackName: name });
    [, state = 'unknown'] = /<StackStatus>(\w+)/.exec(described.text) ?? [];
  }
  const { text: listed } = await callCloudFormation('DescribeStackResources', { StackName: name });
  const members = parseXML(listed).DescribeStackResourcesResponse.DescribeStackResourcesResult.StackResources;
  const resources: readonly Record<'LogicalResourceId' | 'PhysicalResourceId', string>[] = [
    members.member ?? [],
  ].flat();
  const ids = resources.map((each) => [each.LogicalResourceId, each.PhysicalResourceId] as const);
  return { status: state, ids: Object.fromEntries(ids) };
}
