import { beforeAll, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { isServiceAllowed } from './account/iam.ts';
import { type Deployed, deployed } from './account/template.ts';
import { alarmsIn } from './alarms/alarms-in.ts';
import { assemble, STACKS, synthesize, type Templates } from './synthesize.ts';

/** From an alarm over its actions, their topic and its policy to the address. */

const PREFIX = 'custodia-dev';

let templates: Templates;
let stack: Deployed;
beforeAll(() => {
  [templates, stack] = assemble({ context: { alarmEmail: 'ops@example.com' } }, (made, directory) => [
    made,
    deployed(directory, STACKS),
  ]);
});

const ACCOUNT = '111122223333';

/** The topics of an alarm's actions whose policies let it publish. */
const reached = (actions: unknown, context: Record<string, string> = {}, service = 'cloudwatch.amazonaws.com') =>
  [actions].flat().filter((topic) => {
    const policies = [...stack.resources.values()].filter(
      ({ Type, Properties }) => Type === 'AWS::SNS::TopicPolicy' && (Properties.Topics as unknown[]).includes(topic),
    );
    const asked = {
      action: 'sns:Publish',
      resource: String(topic),
      context: Object.fromEntries(
        Object.entries({
          'aws:SourceAccount': ACCOUNT,
          'aws:SourceArn': `arn:aws:cloudwatch:eu-west-1:${ACCOUNT}:alarm:${PREFIX}-api-5xx`,
          'aws:SecureTransport': 'true',
          ...context,
        }).map(([key, value]) => [key, [value]]),
      ),
    };
    // A topic has one policy: each one that is put takes the place of that before.
    return policies.length === 1 && isServiceAllowed(policies[0]?.Properties.PolicyDocument, service, asked);
  });

const deployedAlarms = () =>
  [...stack.resources.values()].flatMap(({ Type, Properties }) =>
    Type === 'AWS::CloudWatch::Alarm' ? [Properties] : [],
  );

const subscribed = () =>
  [...stack.resources.values()].flatMap(({ Type, Properties }) =>
    Type === 'AWS::SNS::Subscription' && Properties.Endpoint === 'ops@example.com' ? [Properties.TopicArn] : [],
  );

it('a mail is sent when an alarm begins and when it is over, for every alarm', () => {
  expect(deployedAlarms()).toHaveLength(alarmsIn(templates.operations, PREFIX).size);
  expect(subscribed()).toHaveLength(1);
  for (const { AlarmName, AlarmActions, OKActions } of deployedAlarms()) {
    const arn = `arn:aws:cloudwatch:eu-west-1:${ACCOUNT}:alarm:${AlarmName}`;
    expect(reached(AlarmActions, { 'aws:SourceArn': arn })).toEqual(subscribed());
    expect(reached(OKActions, { 'aws:SourceArn': arn })).toEqual(subscribed());
  }
});

it('a mail is not sent for what only a deployment asks: the alarms by which it goes back', () => {
  const silent = (context: Record<string, string>) =>
    Array.from(alarmsIn(synthesize({ context: { alarmEmail: 'ops@example.com', ...context } }), PREFIX))
      .filter(([, { AlarmActions, OKActions }]) => AlarmActions.length + OKActions.length === 0)
      .map(([name]) => name);
  expect(silent({ deployment: 'all-at-once' })).toEqual([]);
  expect(silent({ deployment: 'canary' }).filter((name) => !name.startsWith('rollback-'))).toEqual([]);
  expect(silent({ deployment: 'canary' })).toHaveLength(contracts.length + 1);
});

it.each([
  ['another account', { 'aws:SourceAccount': '999999999999' }, undefined],
  ['an alarm of something else', { 'aws:SourceArn': `arn:aws:cloudwatch:eu-west-1:${ACCOUNT}:alarm:other` }, undefined],
  ['a connection without TLS', { 'aws:SecureTransport': 'false' }, undefined],
  ['another service', {}, 'events.amazonaws.com'],
])('a mail is not sent for %s', (_, context, service) => {
  const [alarm] = deployedAlarms();
  expect(reached(alarm?.AlarmActions, {})).toHaveLength(1);
  expect(reached(alarm?.AlarmActions, context, service)).toEqual([]);
});

it('a mail is not sent by a stage that names no address, which has its alarms all the same', () => {
  const without = synthesize().operations;
  expect([...alarmsIn(without, PREFIX).keys()]).toEqual([...alarmsIn(templates.operations, PREFIX).keys()]);
  without.resourceCountIs('AWS::SNS::Topic', 0);
  for (const { AlarmActions } of alarmsIn(without, PREFIX).values()) expect(AlarmActions).toEqual([]);
});
