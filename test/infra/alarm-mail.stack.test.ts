import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { isServiceAllowed } from './account/iam.ts';
import { type Deployed, deployedFrom } from './account/template.ts';
import { alarmsIn, compositesIn } from './alarms/alarms-in.ts';
import { assemble, EVERYTHING, resourcesOf, STACKS, synthesize, type Templates } from './synthesize.ts';

/** From an alarm over its actions, their topic and its policy to the address. */

const PREFIX = 'custodia-dev';

let templates: Templates;
let stack: Deployed;
beforeAll(() => {
  [templates, stack] = assemble(
    { context: { alarmEmail: 'ops@example.com', backupRetentionDays: '90' } },
    (made, directory) => [made, deployedFrom(directory, STACKS)],
  );
});

const ACCOUNT = '111122223333';

/** The topics of an alarm's actions whose policies let it publish. */
const reached = (actions: unknown, context: Record<string, string> = {}) =>
  publishable(actions, 'cloudwatch.amazonaws.com', {
    'aws:SourceAccount': ACCOUNT,
    'aws:SourceArn': `arn:aws:cloudwatch:eu-west-1:${ACCOUNT}:alarm:${PREFIX}-api-slow`,
    ...context,
  });

/** Of these topics those to which a service may publish. @param context what it tells SNS of itself */
const publishable = (actions: unknown, service: string, context: Record<string, string> = {}) =>
  [actions].flat().filter((topic) => {
    const policies = [...stack.resources.values()].filter(
      ({ Type, Properties }) => Type === 'AWS::SNS::TopicPolicy' && (Properties.Topics as unknown[]).includes(topic),
    );
    const asked = {
      action: 'sns:Publish',
      resource: String(topic),
      context: Object.fromEntries(
        Object.entries({
          'aws:SecureTransport': 'true',
          ...context,
        }).map(([key, value]) => [key, [value]]),
      ),
    };
    // A topic has one policy: each one that is put takes the place of that before.
    return policies.length === 1 && isServiceAllowed(policies[0]?.Properties.PolicyDocument, service, asked);
  });

const of = (...types: string[]) =>
  [...stack.resources.values()].flatMap(({ Type, Properties }) => (types.includes(Type) ? [Properties] : []));
const composites = () => of('AWS::CloudWatch::CompositeAlarm');
const partsOfComposites = () =>
  of('AWS::CloudWatch::Alarm').filter(({ AlarmName }) => /-(long|short)$/.test(String(AlarmName)));
const tellingAlarms = () => [
  ...of('AWS::CloudWatch::Alarm').filter((each) => !partsOfComposites().includes(each)),
  ...composites(),
];
const rules = () => of('AWS::Events::Rule').filter(({ EventPattern }) => EventPattern !== undefined);

const subscribed = () =>
  of('AWS::SNS::Subscription').flatMap(({ Endpoint, TopicArn }) => (Endpoint === 'ops@example.com' ? [TopicArn] : []));

it('a mail is sent when an alarm begins and when it is over, for every alarm', () => {
  expect(tellingAlarms().length).toBeGreaterThan(contracts.length);
  expect(subscribed()).toHaveLength(1);
  for (const { AlarmName, AlarmActions, OKActions } of tellingAlarms()) {
    const arn = `arn:aws:cloudwatch:eu-west-1:${ACCOUNT}:alarm:${AlarmName}`;
    expect(reached(AlarmActions, { 'aws:SourceArn': arn })).toEqual(subscribed());
    expect(reached(OKActions, { 'aws:SourceArn': arn })).toEqual(subscribed());
  }
});

it('a mail is sent for what AWS tells of', () => {
  expect(rules().map(({ Name }) => Name)).toEqual([
    `${PREFIX}-deployment-failed`,
    `${PREFIX}-key-disabled`,
    `${PREFIX}-backup-failed`,
  ]);
  for (const { Targets } of rules()) {
    const topics = (Targets as { Arn: string }[]).map(({ Arn }) => Arn);
    // EventBridge tells SNS neither its account nor its rule.
    expect(publishable(topics, 'events.amazonaws.com')).toEqual(subscribed());
    expect(publishable(topics, 'backup.amazonaws.com')).toEqual([]);
  }
});

it('a mail is not sent for the parts of an alarm that has several, nor for what only a deployment asks', () => {
  expect(partsOfComposites()).toHaveLength(2 * composites().length);
  for (const { AlarmActions, OKActions } of partsOfComposites())
    expect([AlarmActions, OKActions]).toEqual([undefined, undefined]);
  const rollback = [...alarmsIn(synthesize({ context: EVERYTHING }).application, PREFIX)];
  expect(rollback).toHaveLength(contracts.length + 1);
  for (const [, { AlarmActions, OKActions }] of rollback) expect([AlarmActions, OKActions]).toEqual([[], []]);
});

it.each([
  ['another account', { 'aws:SourceAccount': '999999999999' }],
  ['an alarm of something else', { 'aws:SourceArn': `arn:aws:cloudwatch:eu-west-1:${ACCOUNT}:alarm:other` }],
  ['a connection without TLS', { 'aws:SecureTransport': 'false' }],
])('a mail is not sent for %s', (_, context) => {
  const [alarm] = tellingAlarms();
  expect(reached(alarm?.AlarmActions, {})).toHaveLength(1);
  expect(reached(alarm?.AlarmActions, context)).toEqual([]);
});

it('a topic of the account is told beside the mail, of everything', () => {
  const { operations } = synthesize({ context: EVERYTHING });
  const telling = [...alarmsIn(operations, PREFIX).values(), ...compositesIn(operations, PREFIX).values()].filter(
    ({ AlarmName }) => !/-(long|short)$/.test(AlarmName),
  );
  for (const { AlarmActions, OKActions } of telling)
    for (const actions of [AlarmActions, OKActions])
      expect(actions).toEqual([expect.anything(), EVERYTHING.alarmTopicArn]);
  for (const [, { Properties }] of resourcesOf(operations, 'AWS::Events::Rule').filter(
    ([, each]) => each.Properties.EventPattern !== undefined,
  ))
    expect(Properties.Targets).toEqual([expect.anything(), expect.objectContaining({ Arn: EVERYTHING.alarmTopicArn })]);
});

describe('a stage that names neither', () => {
  it('has its alarms all the same, and says that nobody is told', () => {
    const said: unknown[] = [];
    const without = synthesize({
      change: ({ operations }) => {
        said.push(...operations.node.findAll().flatMap(({ node }) => node.metadata.map(({ data }) => data)));
      },
    }).operations;
    expect([...compositesIn(without, PREFIX).keys()]).toEqual([...compositesIn(templates.operations, PREFIX).keys()]);
    without.resourceCountIs('AWS::SNS::Topic', 0);
    for (const { AlarmActions } of alarmsIn(without, PREFIX).values()) expect(AlarmActions).toEqual([]);
    const nobody = 'nobody: set alarmEmail or alarmTopicArn';
    expect(said).toContainEqual(`Alarms tell ${nobody}.`);
    without.hasOutput('ToldOfAlarms', { Value: nobody });
    templates.operations.hasOutput('ToldOfAlarms', { Value: 'ops@example.com' });
  });
});
