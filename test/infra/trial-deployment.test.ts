import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { adaptPolicies, adaptTemplate, type Template } from './trial-deployment/assembly.ts';
import { differencesFrom } from './trial-deployment/lacking.ts';

/**
 * How the trial deployment changes templates, and what makes it fail. It is tried itself each night (`npm run
 * rehearse`).
 */

const GROUP = 'AWS::CodeDeploy::DeploymentGroup';

it('fails when the emulator lacks more than is listed, or has learned something', () => {
  expect(differencesFrom(['a', 'b'], ['b', 'a'])).toEqual([]);
  expect(differencesFrom(['a'], ['a', 'b'])).toEqual([expect.stringMatching(/^The emulator lacks b: /)]);
  expect(differencesFrom(['a', 'b'], ['a'])).toEqual([expect.stringMatching(/^The emulator no longer lacks b, /)]);
});

it('leaves out what is lacking, with what refers to it, and nothing else', () => {
  const template: Template = {
    Resources: {
      Group: { Type: GROUP, Properties: { Name: 'g' } },
      Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: [{}] } },
      Simple: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
      Alias: {
        Type: 'AWS::Lambda::Alias',
        Properties: { Of: [{ Ref: 'Group' }, { 'Fn::GetAtt': ['Alarm', 'Arn'] }, { Ref: 'Simple' }] },
        DependsOn: ['Group', 'Simple'],
        UpdatePolicy: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: 'Group' } } },
      },
      Waiting: { Type: 'AWS::SQS::Queue', DependsOn: 'Group' },
      Logs: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: 30 } },
      Named: { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: 'aws-waf-logs' } },
    },
  };
  expect(adaptTemplate(template, 'custodia-prod').Resources).toEqual({
    Simple: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
    Alias: {
      Type: 'AWS::Lambda::Alias',
      Properties: { Of: ['left-out-Group', 'left-out-Alarm', { Ref: 'Simple' }] },
      DependsOn: ['Simple'],
    },
    Waiting: { Type: 'AWS::SQS::Queue' },
    Logs: {
      Type: 'AWS::Logs::LogGroup',
      Properties: { LogGroupName: expect.stringMatching(/^custodia-prod-Logs-\w+$/), RetentionInDays: 30 },
    },
    Named: { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: 'aws-waf-logs' } },
  });
});

it('takes out of policies only the conditions that the emulator does not know', () => {
  const policyOf = (...Statement: object[]) => ({ PolicyDocument: { Statement } });
  const kept = { StringEquals: { 'aws:PrincipalTag/tenant': 'a' } };
  const unknown = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['a'] } };
  const template: Template = {
    Resources: {
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          Policies: [
            policyOf(
              { Effect: 'Allow', Action: ['dynamodb:GetItem'], Condition: { ...kept, ...unknown } },
              { Effect: 'Allow', Action: ['dynamodb:Query'], Condition: unknown },
              { Effect: 'Deny', Action: ['dynamodb:*'], Condition: unknown },
              { Effect: 'Deny', Action: ['dynamodb:*'], Condition: kept },
              { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: 'queue' },
              { Effect: 'Allow', Action: ['backup:ListBackupJobs', 'logs:DescribeLogGroups'], Resource: 'some' },
              { Effect: 'Allow', Action: ['backup:ListBackupJobs', 'logs:PutLogEvents'], Resource: 'some' },
            ),
          ],
        },
      },
      Queue: { Type: 'AWS::SQS::QueuePolicy', Properties: policyOf({ Effect: 'Deny', Action: 'sqs:SendMessage' }) },
    },
  };
  const before = structuredClone(template.Resources.Queue);
  adaptPolicies(template);
  expect(template.Resources.Queue).toEqual(before);
  expect(template.Resources.Role?.Properties).toEqual({
    Policies: [
      policyOf(
        { Effect: 'Allow', Action: ['dynamodb:GetItem'], Condition: kept },
        { Effect: 'Allow', Action: ['dynamodb:Query'] },
        { Effect: 'Deny', Action: ['dynamodb:*'], Condition: kept },
        { Effect: 'Allow', Action: ['sqs:SendMessage', 'sqs:SendMessageBatch'], Resource: 'queue' },
        { Effect: 'Allow', Action: ['backup:ListBackupJobs', 'logs:DescribeLogGroups'], Resource: '*' },
        { Effect: 'Allow', Action: ['backup:ListBackupJobs', 'logs:PutLogEvents'], Resource: 'some' },
      ),
    ],
  });
});

it('installs packages of one version each', () => {
  const text = readFileSync(new URL('trial-deployment/requirements.txt', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((line) => !/^[\w.-]+==[\d.]+(post\d+)?$/.test(line))).toEqual([]);
});
