import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { isServiceAllowed } from './account/iam.ts';
import { EVERYTHING, STACKS, stageOf, synthesize } from './synthesize.ts';

/**
 * From an alarm over its topic and its policy to the address; and that the rules of EventBridge tell of the events that they mean, and of no others.
 * Events are as AWS's documentation shows them.
 */

const PREFIX = 'custodia-dev';
const REGION = 'eu-west-1';
const ACCOUNT = '111122223333';
const PAGERS = EVERYTHING.alarmTopicArn;

const stage = stageOf(synthesize({ context: EVERYTHING }));
const of = (...types: string[]) =>
  [...stage.resources.values()].flatMap(({ Type, Properties }) => (types.includes(Type) ? [Properties] : []));

const alarms = of('AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm');
/** Parts of an alarm that has several, and what only a deployment asks. */
const isSilent = ({ AlarmName }: Readonly<Record<string, unknown>>): boolean =>
  /-(long|short)$|^custodia-dev-rollback-/.test(String(AlarmName));
const rules = of('AWS::Events::Rule').filter(({ EventPattern }) => EventPattern !== undefined);
const subscribed = of('AWS::SNS::Subscription').flatMap(({ Endpoint, TopicArn }) =>
  Endpoint === EVERYTHING.alarmEmail ? [TopicArn] : [],
);

/** Of these topics of the stage those to which a service may publish. @param context what it tells SNS of itself */
const publishable = (topics: unknown, service: string, context: Readonly<Record<string, string>> = {}) =>
  [topics].flat().filter((topic) => {
    const policies = of('AWS::SNS::TopicPolicy').filter(({ Topics }) => (Topics as unknown[]).includes(topic));
    const told = Object.entries({ 'aws:SecureTransport': 'true', ...context }).map(([key, value]) => [key, [value]]);
    const asked = { action: 'sns:Publish', resource: String(topic), context: Object.fromEntries(told) };
    // A topic has one policy: each one that is put takes the place of that before.
    return policies.length === 1 && isServiceAllowed(policies[0]?.PolicyDocument, service, asked);
  });

const reached = (topics: unknown, alarmName: unknown, context: Readonly<Record<string, string>> = {}) =>
  publishable(topics, 'cloudwatch.amazonaws.com', {
    'aws:SourceAccount': ACCOUNT,
    'aws:SourceArn': `arn:aws:cloudwatch:${REGION}:${ACCOUNT}:alarm:${alarmName}`,
    ...context,
  });

describe('a mail', () => {
  it('is sent when an alarm begins and when it is over, and the account’s own topic is told, too', () => {
    const telling = alarms.filter((each) => !isSilent(each));
    expect(telling.length).toBeGreaterThan(contracts.length);
    expect(subscribed).toHaveLength(1);
    for (const { AlarmName, AlarmActions, OKActions } of telling)
      for (const actions of [AlarmActions, OKActions]) {
        expect(actions).toEqual([...subscribed, PAGERS]);
        expect(reached(actions, AlarmName)).toEqual(subscribed);
      }
  });

  it('is not sent for parts of an alarm, and for what only a deployment asks', () => {
    const silent = alarms.filter(isSilent);
    expect(silent.length).toBeGreaterThan(contracts.length);
    for (const { AlarmActions, OKActions } of silent) expect([AlarmActions, OKActions]).toEqual([undefined, undefined]);
  });

  it('is sent for what AWS tells of, which EventBridge may publish and no other service', () => {
    const names = ['deployment-failed', 'key-disabled', 'backup-failed'].map((name) => `${PREFIX}-${name}`);
    expect(rules.map(({ Name }) => Name)).toEqual(names);
    for (const { Targets } of rules) {
      const topics = (Targets as { Arn: string }[]).map(({ Arn }) => Arn);
      expect(topics).toEqual([...subscribed, PAGERS]);
      // EventBridge tells SNS neither its account nor its rule.
      expect(publishable(topics, 'events.amazonaws.com')).toEqual(subscribed);
      expect(publishable(topics, 'backup.amazonaws.com')).toEqual([]);
    }
  });

  it.each([
    ['another account', { 'aws:SourceAccount': '999999999999' }],
    ['an alarm of something else', { 'aws:SourceArn': `arn:aws:cloudwatch:${REGION}:${ACCOUNT}:alarm:other` }],
    ['a connection without TLS', { 'aws:SecureTransport': 'false' }],
  ])('is not sent for %s', (_, context) => {
    const name = `${PREFIX}-api-slow`;
    expect(reached(subscribed, name)).toEqual(subscribed);
    expect(reached(subscribed, name, context as Readonly<Record<string, string>>)).toEqual([]);
  });
});

it('a stage that names nobody says so', () => {
  const said: unknown[] = [];
  synthesize({
    change: ({ operations }) => {
      said.push(...operations.node.findAll().flatMap(({ node }) => node.metadata.map(({ data }) => data)));
    },
  });
  expect(said).toContainEqual('Alarms tell nobody: set alarmEmail or alarmTopicArn.');
});

/** Whether a value of an event is as a pattern says: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html */
function fits(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => fits(pattern, each));
  if (!Array.isArray(pattern))
    return Object.entries(pattern as object).every(([name, inner]) => fits(inner, Object(value)[name]));
  return pattern.some((each: string | { prefix?: string; exists?: boolean }) => {
    if (typeof each === 'string') return value === each;
    if (each.exists === false) return value === undefined;
    if (each.prefix === undefined) throw new TypeError(`${JSON.stringify(each)} is not simulated`);
    return typeof value === 'string' && value.startsWith(each.prefix);
  });
}

/** Names of the rules that tell of an event. */
const telling = (source: string, type: string, detail: object): string[] =>
  rules
    .filter(({ EventPattern }) => fits(EventPattern, { source, 'detail-type': type, detail }))
    .map(({ Name }) => String(Name).replace(`${PREFIX}-`, ''));

describe('an event of', () => {
  const deployment = (stack: string, status: string) =>
    telling('aws.cloudformation', 'CloudFormation Stack Status Change', {
      'stack-id': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${stack}/9b5f4a10-5c5d-11ef-8b8e-0a1b2c3d4e5f`,
      'status-details': { status, 'status-reason': '' },
    });
  const call = (eventName: string, arn: string, more = {}) =>
    telling('aws.kms', 'AWS API Call via CloudTrail', {
      eventSource: 'kms.amazonaws.com',
      eventName,
      resources: [{ accountId: ACCOUNT, type: 'AWS::KMS::Key', ARN: arn }],
      ...more,
    });
  const job = (kind: string, state: string, resourceArn: string) =>
    telling('aws.backup', `${kind} Job State Change`, { resourceArn, resourceType: 'DynamoDB', state });

  it('a deployment is told of where it fails', () => {
    for (const stack of STACKS)
      for (const status of ['ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_FAILED'])
        expect(deployment(stack, status)).toEqual(['deployment-failed']);
    for (const status of ['UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'])
      expect(deployment(PREFIX, status)).toEqual([]);
    for (const stack of ['custodia-dev2', 'other']) expect(deployment(stack, 'ROLLBACK_IN_PROGRESS')).toEqual([]);
  });

  it('a key is told of where one of the stage is disabled or scheduled for deletion', () => {
    const keys = [...stage.resources].flatMap(([id, { Type }]) => (Type === 'AWS::KMS::Key' ? [id] : []));
    expect(keys.length).toBeGreaterThan(3);
    const arns = [...keys, 'other'].map((id) => `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`);
    const other = arns.pop() ?? '';
    for (const arn of arns)
      for (const name of ['DisableKey', 'ScheduleKeyDeletion']) expect(call(name, arn)).toEqual(['key-disabled']);
    expect(call('DisableKey', other)).toEqual([]);
    expect(call('Sign', arns[0] ?? '')).toEqual([]);
    expect(call('DisableKey', arns[0] ?? '', { errorCode: 'AccessDenied' })).toEqual([]);
  });

  it('a backup is told of where one of the table, or its copy, fails', () => {
    for (const kind of ['Backup', 'Copy'])
      for (const state of ['FAILED', 'ABORTED', 'EXPIRED'])
        expect(job(kind, state, stage.tableArn)).toEqual(['backup-failed']);
    expect(job('Backup', 'COMPLETED', stage.tableArn)).toEqual([]);
    expect(job('Backup', 'FAILED', `${stage.tableArn}2`)).toEqual([]);
    expect(job('Restore', 'FAILED', stage.tableArn)).toEqual([]);
  });
});
