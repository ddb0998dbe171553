import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, it } from 'vitest';
import { GitHubRoles, githubRolesSettingsFrom } from '../../infra/github-roles.ts';
import { CDK_CONTEXT } from './synthesize.ts';

/** The roles of the pipeline: who may assume them, and what they may do. */

const CONTEXT = { stage: 'prod', repository: 'acme@123456/custodia@456789' };

function stackWith(context: Readonly<Record<string, unknown>>) {
  const app = new App({ context: { ...CDK_CONTEXT, ...context } });
  const stack = new GitHubRoles(app, githubRolesSettingsFrom(app.node));
  return { stack, template: Template.fromStack(stack) };
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Condition?: object;
  readonly Resource: unknown;
}

interface RoleProperties {
  readonly AssumeRolePolicyDocument: { readonly Statement: readonly Statement[] };
  readonly Policies: readonly [{ readonly PolicyDocument: { readonly Statement: readonly Statement[] } }];
}

const { template } = stackWith(CONTEXT);
const roles = Object.entries(template.findResources('AWS::IAM::Role')).map(([id, { Properties }]) => ({
  id,
  ...(Properties as RoleProperties),
}));

it('are assumed with a token of one exact subject: the environment of the stage, or a pull request', () => {
  const trusts = roles.flatMap((role) => role.AssumeRolePolicyDocument.Statement);
  expect(trusts.map(({ Action, Condition }) => [Action, Condition])).toEqual(
    ['environment:prod', 'pull_request'].map((subject) => [
      'sts:AssumeRoleWithWebIdentity',
      {
        StringEquals: {
          'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
          'token.actions.githubusercontent.com:sub': `repo:acme@123456/custodia@456789:${subject}`,
        },
      },
    ]),
  );
});

it('deploy by two roles of CDK’s bootstrap and look at the account, and no more', () => {
  const statements = roles[0]?.Policies[0].PolicyDocument.Statement ?? [];
  expect(statements.map(({ Action }) => Action)).toEqual([
    'sts:AssumeRole',
    'cloudformation:DescribeStacks',
    [
      'cloudtrail:DescribeTrails',
      'cloudtrail:GetEventSelectors',
      'cloudtrail:GetTrailStatus',
      'lambda:GetAccountSettings',
    ],
    'apigateway:GET',
  ]);
  const assumed = [statements[0]?.Resource]
    .flat()
    .map((arn) => /role\/cdk-hnb659fds-([a-z-]+)-role-/.exec(JSON.stringify(arn))?.[1]);
  // The lookup role reads all data of the account.
  expect(assumed).toEqual(['deploy', 'file-publishing']);
});

it('compare pull requests, whose code nobody has read yet, by reading templates of the stage alone', () => {
  const statements = roles[1]?.Policies[0].PolicyDocument.Statement ?? [];
  expect(statements.map(({ Action }) => Action)).toEqual([
    ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'],
  ]);
  const names = [statements[0]?.Resource].flat().map((arn) => /stack\/([\w-]+)\/\*/.exec(JSON.stringify(arn))?.[1]);
  expect(names).toEqual(['api-gateway-log-role', 'custodia-prod-data', 'custodia-prod-ops', 'custodia-prod']);
});

it('share the account’s identity provider where there is one', () => {
  template.resourceCountIs('AWS::IAM::OIDCProvider', 1);
  const shared = stackWith({ ...CONTEXT, providerExists: 'true' }).template;
  shared.resourceCountIs('AWS::IAM::OIDCProvider', 0);
  expect(JSON.stringify(shared.toJSON())).toContain(':oidc-provider/token.actions.githubusercontent.com');
});

it.each([
  { repository: 'acme/custodia' },
  { stage: 'prod' },
  { ...CONTEXT, repository: 'acme/*' },
  { ...CONTEXT, repository: 'acme' },
  { ...CONTEXT, repository: 'acme/custodia:environment:dev' },
  { ...CONTEXT, stage: 'prod*' },
])('are not made for who knows whom: %o', (context) => {
  expect(() => stackWith(context)).toThrow(/^Say -c stage=… -c repository=…:/);
});

it('have no finding of cdk-nag that is not accepted with a reason', () => {
  const { violations } = new AwsSolutionsChecks().validateScope(stackWith(CONTEXT).stack);
  expect(violations.map(({ ruleName, violatingResources }) => [ruleName, violatingResources])).toEqual([]);
});
