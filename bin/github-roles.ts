import { App } from 'aws-cdk-lib';
import { GitHubRoles, githubRolesSettingsFrom } from '../infra/github-roles.ts';

/**
 * The CDK app with the roles of the pipeline, deployed once for each stage by somebody who may make roles:
 *
 *     npx cdk deploy --app 'node bin/github-roles.ts' -c stage=prod -c repository=acme/custodia
 */

const app = new App();
new GitHubRoles(app, githubRolesSettingsFrom(app.node));
