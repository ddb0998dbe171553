import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, it } from 'vitest';
import { GitHubRoles, githubRolesSettingsFrom } from '../../infra/github-roles.ts';
import { deployed } from './account/template.ts';
import { CDK_CONTEXT } from './synthesize.ts';

/** The roles of the pipeline: who may assume them, and their rights. */

const CONTEXT = { stage: 'prod', repository: 'acme@123456/custodia@456789' };

function stackWith(context: Readonly<Record<string, unknown>>): GitHubRoles {
  const app = new App({ context: { ...CDK_CONTEXT, ...context }, builtinCloudFormationValidation: false });
  return new GitHubRoles(app, githubRolesSettingsFrom(app.node));
}

const stack = stackWith(CONTEXT);
const { resources } = deployed(new Map([['github', Template.fromStack(stack).toJSON()]]));
type Right = Readonly<Record<'Effect' | 'Action' | 'Resource' | 'Condition', unknown>>;
interface RoleProperties {
  readonly AssumeRolePolicyDocument: { readonly Statement: readonly object[] };
  readonly Policies: readonly [{ readonly PolicyDocument: { readonly Statement: readonly Right[] } }];
}
const [deploying, comparing] = [...resources.values()].flatMap(({ Type, Properties }) =>
  Type === 'AWS::IAM::Role' ? [Properties as unknown as RoleProperties] : [],
);

it('are assumed with a token of one exact subject: the environment of the stage, or a pull request', () => {
  for (const [role, subject] of [
    [deploying, 'environment:prod'],
    [comparing, 'pull_request'],
  ] as const)
    expect(role?.AssumeRolePolicyDocument.Statement).toMatchObject([
      {
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: {
          StringEquals: {
            'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
            'token.actions.githubusercontent.com:sub': `repo:acme@123456/custodia@456789:${subject}`,
          },
        },
      },
    ]);
});

it('deploy by two roles of CDK’s bootstrap and look at the account, or read templates of the stage, and nothing else', () => {
  const stacks = (...names: string[]): string[] =>
    names.map((name) => `arn:aws:cloudformation:eu-west-1:111122223333:stack/${name}/*`).toSorted();
  const ofStage = ['custodia-prod', 'custodia-prod-data', 'custodia-prod-api', 'custodia-prod-ops'];
  const rightsOf = (role: RoleProperties | undefined) =>
    role?.Policies[0].PolicyDocument.Statement.map(({ Effect, Action, Resource, Condition }) => {
      expect([Effect, Condition]).toEqual(['Allow', undefined]);
      return [[Action].flat(), [Resource].flat().toSorted()];
    });
  expect(rightsOf(deploying)).toEqual([
    [
      ['sts:AssumeRole'],
      ['deploy', 'file-publishing'].map(
        (name) => `arn:aws:iam::111122223333:role/cdk-hnb659fds-${name}-role-111122223333-eu-west-1`,
      ),
    ],
    [
      [
        ...['cloudtrail:DescribeTrails', 'cloudtrail:GetEventSelectors', 'cloudtrail:GetTrailStatus'],
        'lambda:GetAccountSettings',
      ],
      ['*'],
    ],
    [['apigateway:GET'], ['arn:aws:apigateway:eu-west-1::/account']],
  ]);
  expect(rightsOf(comparing)).toEqual([
    [['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'], stacks(...ofStage, 'api-gateway-log-role')],
  ]);
});

it('share the account’s identity provider where there is one', () => {
  expect([...resources.values()].filter(({ Type }) => Type === 'AWS::IAM::OIDCProvider')).toHaveLength(1);
  const shared = Template.fromStack(stackWith({ ...CONTEXT, providerExists: 'true' }));
  shared.resourceCountIs('AWS::IAM::OIDCProvider', 0);
  expect(JSON.stringify(shared.toJSON())).toContain(':oidc-provider/token.actions.githubusercontent.com');
});

it('have the permissions boundary of the stage’s other roles', () => {
  const arn = 'arn:aws:iam::111122223333:policy/boundary';
  const bounded = Template.fromStack(stackWith({ ...CONTEXT, permissionsBoundaryArn: arn }));
  bounded.resourcePropertiesCountIs('AWS::IAM::Role', { PermissionsBoundary: arn }, 2);
  expect(() => stackWith({ ...CONTEXT, permissionsBoundaryArn: 'boundary' })).toThrow('ARN of a managed policy');
});

it.each([
  { repository: 'acme/custodia' },
  { stage: 'prod' },
  { ...CONTEXT, stage: 'prod*' },
  ...['acme/*', 'acme', 'acme/custodia:environment:dev'].map((repository) => ({ ...CONTEXT, repository })),
])('are not made for who knows whom: %o', (context) => {
  expect(() => stackWith(context)).toThrow(/^Say -c stage=… -c repository=…:/);
});

it('have no finding of cdk-nag that is not accepted with a reason', () => {
  const { violations } = new AwsSolutionsChecks().validateScope(stack);
  expect(violations.map(({ ruleName, violatingResources }) => [ruleName, violatingResources])).toEqual([]);
});
