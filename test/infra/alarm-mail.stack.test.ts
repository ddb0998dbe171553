import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { isServiceAllowed } from './account/iam.ts';
import { EVERYTHING, PROFILES, stageOf, synthesize } from './synthesize.ts';

/**
 * From an alarm, or a rule of EventBridge, over its topic and its policy to the address. Which events a rule is for:
 * `properties.stack.test.ts`.
 */

const PREFIX = 'custodia-dev';
const REGION = 'eu-west-1';
const ACCOUNT = '111122223333';
const PAGERS = EVERYTHING.alarmTopicArn;

const stage = stageOf(synthesize({ context: PROFILES.everything }));
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
  it('is sent when an alarm begins and when it is over, also to the account’s own topic', () => {
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

  it('is sent for AWS’s events, which EventBridge may publish and no other service', () => {
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
  expect(said).toContainEqual('Alarms notify nobody: set alarmEmail or alarmTopicArn.');
});
