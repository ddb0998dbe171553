import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contracts } from '../../functions/all-contracts.ts';
import { functionNames } from '../../infra/functions.ts';
import { alarmsIn } from './alarms/alarms-in.ts';
import { BROUGHT, EVERYTHING, PROFILES, stageOf, synthesize } from './synthesize.ts';

/** Properties of a stage's resources that nothing else depends on, so that no other test would find them changed. */

const templates = synthesize({ context: PROFILES.everything });
const stage = stageOf(templates);
const small = stageOf(synthesize({ context: PROFILES.small }));

type Stage = typeof stage;

/** The properties of the resources of a type whose logical ids begin so. */
const propertiesOf = ({ resources }: Stage, type: string, id = '') =>
  Array.from(resources).flatMap(([each, { Type, Properties }]) =>
    Type === `AWS::${type}` && each.startsWith(id) ? [Properties] : [],
  );

const DEAD_LETTERS = 'arn:aws:sqs:eu-west-1:111122223333:custodia-dev-deliveries-dead-letters';
const arnOfFunction = (name: string): string => `arn:aws:lambda:eu-west-1:111122223333:function:custodia-dev-${name}`;
const KEY_OF_TOKENS = { KeySpec: 'ECC_NIST_EDWARDS25519', KeyUsage: 'SIGN_VERIFY', PendingWindowInDays: 30 };

describe('a stage with everything has', () => {
  it.each<[type: string, id: string, properties: object]>([
    [
      'DynamoDB::GlobalTable',
      'RecordsTable',
      {
        BillingMode: 'PAY_PER_REQUEST',
        Replicas: [
          {
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
            SSESpecification: { KMSMasterKeyId: expect.stringContaining('key/RecordsKey') },
          },
        ],
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
        StreamSpecification: { StreamViewType: 'KEYS_ONLY' },
        TimeToLiveSpecification: { AttributeName: 'TTL', Enabled: true },
        WarmThroughput: { ReadUnitsPerSecond: 24_000, WriteUnitsPerSecond: 8_000 },
      },
    ],
    ['KMS::Key', 'RecordsKey', { EnableKeyRotation: true, PendingWindowInDays: 30 }],
    ['KMS::Key', 'KeysSecrets', { EnableKeyRotation: true, MultiRegion: true, PendingWindowInDays: 30 }],
    ['KMS::Key', 'KeysToken1Key', KEY_OF_TOKENS],
    ['KMS::Key', 'KeysToken2Key', KEY_OF_TOKENS],
    ['Backup::BackupVault', '', { LockConfiguration: { MinRetentionDays: 90 } }],
    [
      'Backup::BackupPlan',
      '',
      {
        BackupPlan: {
          BackupPlanRule: [
            {
              CopyActions: [
                { DestinationBackupVaultArn: EVERYTHING.backupCopyVaults, Lifecycle: { DeleteAfterDays: 90 } },
              ],
              Lifecycle: { DeleteAfterDays: 90 },
              ScheduleExpression: 'cron(0 3 * * ? *)',
            },
          ],
        },
      },
    ],
    ['Backup::BackupSelection', '', { BackupSelection: { Resources: [stage.tableArn] } }],
    ['SQS::Queue', 'DeliveriesDeadLetters', { MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true }],
    [
      'SQS::Queue',
      'DeliveriesQueue',
      { RedrivePolicy: { deadLetterTargetArn: DEAD_LETTERS, maxReceiveCount: 5 }, SqsManagedSseEnabled: true },
    ],
    [
      'Lambda::EventSourceMapping',
      'DeliveriesWorker',
      {
        BatchSize: 1,
        FunctionName: 'custodia-dev-deliveries:live',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 200 },
      },
    ],
    [
      'Lambda::EventSourceMapping',
      'DeliveriesWakeUp',
      {
        BatchSize: 1_000,
        BisectBatchOnFunctionError: true,
        DestinationConfig: { OnFailure: { Destination: DEAD_LETTERS } },
        MaximumBatchingWindowInSeconds: 1,
        MaximumRecordAgeInSeconds: 600,
        StartingPosition: 'LATEST',
      },
    ],
    [
      'Events::Rule',
      'DeliveriesSchedule',
      {
        ScheduleExpression: 'rate(5 minutes)',
        State: 'ENABLED',
        Targets: [{ Arn: `${arnOfFunction('delivery-schedule')}:live` }],
      },
    ],
    [
      'Events::Rule',
      'HeldAlertsSchedule',
      {
        ScheduleExpression: 'rate(5 minutes)',
        State: 'ENABLED',
        Targets: [{ Arn: `${arnOfFunction('held-alerts')}:live` }],
      },
    ],
    [
      'Events::Rule',
      'HeartbeatSchedule',
      { ScheduleExpression: 'rate(1 minute)', State: 'ENABLED', Targets: [{ Arn: arnOfFunction('heartbeat') }] },
    ],
    [
      'Lambda::Function',
      'HeartbeatFunction',
      {
        Environment: { Variables: { HEALTH_URL: 'https://api.example.com/api/v1/health' } },
        MemorySize: 128,
        Timeout: 15,
      },
    ],
    ['ApiGateway::RestApi', '', { EndpointConfiguration: { Types: ['REGIONAL'] }, Mode: 'overwrite' }],
    [
      'ApiGateway::Stage',
      '',
      {
        MethodSettings: [
          { DataTraceEnabled: false, HttpMethod: '*', ThrottlingBurstLimit: 800, ThrottlingRateLimit: 400 },
        ],
        Variables: { origin2: 'https://admin.example.com' },
      },
    ],
    ['ApiGateway::DomainName', '', { DomainName: 'api.example.com', SecurityPolicy: 'TLS_1_2' }],
    [
      'WAFv2::WebACLAssociation',
      '',
      { ResourceArn: expect.stringMatching(/restapis\/ApiRestApi\w+\/stages\/ApiRestApiDeploymentStage/) },
    ],
    [
      'WAFv2::LoggingConfiguration',
      '',
      {
        LoggingFilter: { DefaultBehavior: 'DROP' },
        RedactedFields: [
          ...['authorization', 'cookie', 'x-signature'].map((Name) => ({ SingleHeader: { Name } })),
          { QueryString: {} },
        ],
      },
    ],
    ['CodeDeploy::Application', '', { ComputePlatform: 'Lambda' }],
  ])('%s %s', (type, id, properties) => {
    const found = propertiesOf(stage, type, id);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject(properties);
  });
});

it('every function runs on the Node that is tested, by its settings, and logs JSON for 30 days', () => {
  const functions = propertiesOf(stage, 'Lambda::Function', 'Functions');
  expect(functions).toHaveLength(functionNames(contracts).length);
  const behindGateway = functions.filter(({ FunctionName }) => !/-deliver|-held-/.test(String(FunctionName)));
  for (const each of behindGateway) expect(each).toMatchObject({ MemorySize: 1_536, Timeout: 29 });
  for (const each of functions)
    expect(each).toMatchObject({
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      LoggingConfig: { LogFormat: 'JSON' },
      Environment: {
        Variables: {
          ...{ AUDIT_RETENTION_DAYS: '30', FIRST_KEY: 'on', RATE_LIMIT: '700', STAGE: 'dev' },
          ...{ METRICS_NAMESPACE: 'Custodia/custodia-dev', TABLE_NAME: stage.tableName, TICKET_WORDS: 'off' },
          ...{ CORS_ORIGINS: EVERYTHING.corsOrigins, WEBHOOK_TOLERANCE_SECONDS: '300' },
        },
      },
    });
  const logs = propertiesOf(stage, 'Logs::LogGroup');
  expect(logs.map(({ RetentionInDays }) => RetentionInDays)).toEqual(logs.map(() => 30));
});

it('functions know the keys that they use: the first generation signs, the others are accepted', () => {
  const variables = (name: string) =>
    propertiesOf(stage, 'Lambda::Function', `Functions${name}Function`).map(
      ({ Environment }) => (Environment as { readonly Variables: object }).Variables,
    )[0];
  const tokens = {
    SIGNING_KEY_ID: expect.stringContaining('key/KeysToken2Key'),
    VERIFICATION_KEY_IDS: expect.stringContaining('key/KeysToken1Key'),
  };
  for (const name of ['auth', 'authorizer', 'wellknown']) expect(variables(name), name).toMatchObject(tokens);
  for (const name of ['integrations', 'webhooks', 'deliveries'])
    expect(variables(name), name).toMatchObject({ SECRETS_KEY_ID: expect.stringContaining('key/KeysSecrets') });
  expect(variables('deliveries')).toMatchObject({ DELIVERY_CONCURRENCY: '200' });
});

it('every function is deployed by canary, and goes back when the API or its new version fails', () => {
  const groups = propertiesOf(stage, 'CodeDeploy::DeploymentGroup', 'Canary');
  expect(groups).toHaveLength(functionNames(contracts).length);
  for (const group of groups) {
    expect(group).toMatchObject({
      AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
    });
    const { Alarms } = group.AlarmConfiguration as { readonly Alarms: readonly object[] };
    expect([1, 2]).toContain(Alarms.length);
    expect(Alarms[0]).toEqual({ Name: expect.stringContaining('rollbackapi') });
  }
});

it('the firewall blocks floods of an address, and counts rules of AWS about bodies', () => {
  const rules = z
    .array(z.object({ Name: z.string(), Priority: z.number(), Statement: z.record(z.string(), z.looseObject({})) }))
    .parse(propertiesOf(stage, 'WAFv2::WebACL')[0]?.Rules);
  expect(rules.map(({ Name, Priority }) => [Name, Priority])).toEqual([
    ['address-rate', 0],
    ['anonymous-rate', 1],
    ['AWSManagedRulesCommonRuleSet', 2],
    ['AWSManagedRulesKnownBadInputsRuleSet', 3],
  ]);
  const limits = rules.map(({ Statement }) => Statement.RateBasedStatement?.Limit);
  expect(limits).toEqual([20_000, 2_000, undefined, undefined]);
  for (const rule of rules.slice(2)) {
    const counted = rule.Statement.ManagedRuleGroupStatement?.RuleActionOverrides as { Name: string }[];
    expect(counted.length).toBeGreaterThanOrEqual(3);
    for (const each of counted) expect(each.Name).toMatch(/_BODY$|^NoUserAgent_HEADER$/);
    for (const each of counted) expect(each).toMatchObject({ ActionToUse: { Count: {} } });
  }
  expect(JSON.stringify(propertiesOf(stage, 'WAFv2::WebACL')[0]?.DataProtectionConfig)).toMatch(
    /"FieldKeys":\["authorization","cookie","x-signature"\].*QUERY_STRING.*BODY/,
  );
});

/** What a stack comes into when a deployment fails. */
const FAILED = [
  ...['ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_IN_PROGRESS', 'CREATE_FAILED', 'UPDATE_FAILED', 'DELETE_FAILED'],
  ...['ROLLBACK_FAILED', 'UPDATE_ROLLBACK_FAILED'],
];

describe('a mail is sent', () => {
  it.each([
    [
      'deployment-failed',
      { source: ['aws.cloudformation'], detail: { 'status-details': { status: FAILED } } },
      /custodia-dev-data\/.*custodia-dev\/.*custodia-dev-api\/.*custodia-dev-ops\//,
    ],
    [
      'key-disabled',
      {
        source: ['aws.kms'],
        detail: { eventName: ['DisableKey', 'ScheduleKeyDeletion'], errorCode: [{ exists: false }] },
      },
      /RecordsKey.*KeysToken2Key.*KeysToken1Key.*KeysSecrets/,
    ],
    [
      'backup-failed',
      {
        'detail-type': ['Backup Job State Change', 'Copy Job State Change'],
        detail: { resourceArn: [stage.tableArn] },
      },
      /"FAILED","ABORTED","EXPIRED"/,
    ],
  ])('of the event %s', (name, pattern, text) => {
    const rule = propertiesOf(stage, 'Events::Rule').find(({ Name }) => Name === `custodia-dev-${name}`);
    expect(rule?.EventPattern).toMatchObject(pattern);
    expect(JSON.stringify(rule?.EventPattern)).toMatch(text);
  });
});

it('a small stage works with what its account has, and has nothing else', () => {
  const { webAclArn, restoredTable, secretsKeyArn } = BROUGHT;
  expect(propertiesOf(small, 'WAFv2::WebACLAssociation')).toMatchObject([{ WebACLArn: webAclArn }]);
  expect(small.tableName).toBe(restoredTable);
  expect(small.outputs.SecretsKeyArn).toBe(secretsKeyArn);
  expect(small.outputs.AlarmRecipients).toBe('nobody: set alarmEmail or alarmTopicArn');
  const types = new Set(Array.from(small.resources.values(), ({ Type }) => Type));
  for (const type of ['DynamoDB::GlobalTable', 'WAFv2::WebACL', 'CloudWatch::Dashboard', 'CodeDeploy::DeploymentGroup'])
    expect(types).not.toContain(`AWS::${type}`);
  expect(propertiesOf(small, 'KMS::Key')).toHaveLength(1);
  expect(
    alarmsIn(synthesize({ context: PROFILES.small }), 'custodia-dev')
      .keys()
      .toArray()
      .toSorted(),
  ).toEqual(['access-denied', 'api-burn-1h-long', 'api-burn-3d', 'api-failing']);
});

it('a stage tells the operator’s command line what it has', () => {
  const told = Object.keys(stage.outputs).filter((name) => !/^(Publish|ApiRestApi)/.test(name));
  const roles = ['Operator', 'Maintenance', 'Export', 'Erasure', 'Replay', 'CutOff', 'Support'];
  expect(told.toSorted()).toEqual(
    [
      ...roles.map((name) => `${name}RoleArn`),
      ...['AlarmRecipients', 'AttachmentsUrl', 'BackupVaultName', 'BaseUrl', 'DomainAliasTarget', 'DomainAliasZoneId'],
      ...['OpenApiUrl', 'SecretsKeyArn', 'TableName', 'TicketWords'],
    ].toSorted(),
  );
  expect(stage.outputs).toMatchObject({
    BaseUrl: 'https://api.example.com',
    OpenApiUrl: 'https://api.example.com/api/v1/openapi',
    TicketWords: 'off',
    AlarmRecipients: `ops@example.com, ${EVERYTHING.alarmTopicArn}`,
  });
});
