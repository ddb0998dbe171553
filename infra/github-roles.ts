import { CfnOutput, Stack, Tags, Validations } from 'aws-cdk-lib';
import {
  type IOidcProvider,
  OidcProviderNative,
  OpenIdConnectPrincipal,
  PolicyStatement,
  type Role,
} from 'aws-cdk-lib/aws-iam';
import type { Construct, Node } from 'constructs';
import * as z from 'zod';
import { RoleWithRights } from './roles/role.ts';
import { boundary, parsedContext } from './settings.ts';
import { boundaryOf, stackNames } from './stacks/stage-stack.ts';

/** Where GitHub's tokens come from (https://docs.github.com/en/actions/reference/security/oidc). */
const ISSUER = 'token.actions.githubusercontent.com';
const AUDIENCE = 'sts.amazonaws.com';

/** The qualifier of CDK's default bootstrap (https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html). */
const QUALIFIER = 'hnb659fds';

/** The settings of `bin/github-roles.ts`, as `-c name=value`. */
const schema = z.object({
  stage: z.string().regex(/^[a-z][a-z0-9-]{0,19}$/),
  /**
   * As in the subject of GitHub's tokens, between `repo:` and the next colon: `acme/custodia`, or with ids, which
   * nobody can take over, `acme@123456/custodia@456789`.
   */
  repository: z.string().regex(/^[\w.-]+(@\d+)?\/[\w.-]+(@\d+)?$/, 'owner/name, or owner@id/name@id'),
  /** Whether the account already has GitHub as an identity provider: it can have only one. */
  providerExists: z.union([z.boolean(), z.stringbool()]).default(false),
  /** The permissions boundary of the stage's other roles, which is in its file. */
  permissionsBoundaryArn: boundary(),
});
export type GitHubRolesSettings = z.infer<typeof schema>;

/** @throws Error that names what is missing or wrong */
export const githubRolesSettingsFrom = (node: Node): GitHubRolesSettings =>
  parsedContext(node, Object.keys(schema.shape), schema, 'Say -c stage=… -c repository=…:');

/**
 * The roles under which GitHub's runners work on a stage (`.github/workflows/`), each for tokens with one exact
 * subject: the deployment of the stage's environment, and the comparison of a pull request with what is deployed.
 */
export class GitHubRoles extends Stack {
  constructor(scope: Construct, settings: GitHubRolesSettings) {
    const { stage, repository, providerExists } = settings;
    super(scope, `custodia-${stage}-github`, {
      description: `Custodia: lets GitHub deploy the stage ${stage}`,
      ...boundaryOf(settings),
    });
    const provider = this.#provider(providerExists);
    const roleFor = (name: string, description: string, subject: string): Role =>
      new RoleWithRights(this, name, {
        description,
        assumedBy: new OpenIdConnectPrincipal(provider, {
          StringEquals: { [`${ISSUER}:aud`]: AUDIENCE, [`${ISSUER}:sub`]: `repo:${repository}:${subject}` },
        }),
      });
    this.#allowDeployment(roleFor('Deploy', `Deploys the stage ${stage}`, `environment:${stage}`));
    this.#allowComparison(
      roleFor('Diff', `Reads the templates of the stage ${stage}, and nothing else`, 'pull_request'),
      stage,
    );
    Tags.of(this).add('service', 'custodia');
    Tags.of(this).add('stage', stage);
  }

  #provider(exists: boolean): IOidcProvider {
    if (!exists) return new OidcProviderNative(this, 'GitHub', { url: `https://${ISSUER}`, clientIds: [AUDIENCE] });
    const arn = this.formatArn({ service: 'iam', region: '', resource: 'oidc-provider', resourceName: ISSUER });
    return OidcProviderNative.fromOidcProviderArn(this, 'GitHub', arn);
  }

  /**
   * Grants CDK's roles, whose rights its bootstrap decides. Not its lookup role, which reads all data of the account;
   * and not the operator's roles, so that no workflow can create a platform key.
   */
  #allowDeployment(role: Role): void {
    const bootstrapRoles = ['deploy', 'file-publishing'].map((name) =>
      this.formatArn({
        service: 'iam',
        region: '',
        resource: 'role',
        resourceName: `cdk-${QUALIFIER}-${name}-role-${this.account}-${this.region}`,
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['sts:AssumeRole'], resources: bootstrapRoles }));
    // The reads of `custodia doctor`.
    role.addToPolicy(
      new PolicyStatement({
        actions: [
          'cloudtrail:DescribeTrails',
          'cloudtrail:GetEventSelectors',
          'cloudtrail:GetTrailStatus',
          'lambda:GetAccountSettings',
        ],
        resources: ['*'],
      }),
    );
    const account = this.formatArn({ service: 'apigateway', account: '', resource: '/account' });
    role.addToPolicy(new PolicyStatement({ actions: ['apigateway:GET'], resources: [account] }));
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Read-only actions about the account. Some take no resource, and the trails are not known before.',
    });
    new CfnOutput(this, 'DeployRoleArn', { value: role.roleArn, description: 'AWS_ROLE_ARN of the environment' });
  }

  #allowComparison(role: Role, stage: string): void {
    const stacks = [...stackNames(stage), 'api-gateway-log-role'].map((name) => `${name}/*`);
    role.addToPolicy(
      new PolicyStatement({
        actions: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'],
        resources: stacks.map((resourceName) =>
          this.formatArn({ service: 'cloudformation', resource: 'stack', resourceName }),
        ),
      }),
    );
    for (const name of stacks) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${SPELLED}:stack/${name}]`,
        reason: 'Behind the name of a stack stands an id that it gets when it is made; the name itself is exact.',
      });
    }
    new CfnOutput(this, 'DiffRoleArn', { value: role.roleArn, description: 'AWS_DIFF_ROLE_ARN of the repository' });
  }
}

/** As cdk-nag spells what is known only at deployment. */
const SPELLED = 'arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>';
