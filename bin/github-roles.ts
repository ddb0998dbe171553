import { App } from 'aws-cdk-lib';
import { GitHubRoles, githubRolesSettingsFrom } from '../infra/github-roles.ts';
import { applyStageFile } from '../infra/settings.ts';

/**
 * The CDK app with the roles of the pipeline, deployed once for each stage by somebody who may make roles:
 *
 *     npx cdk deploy --app 'node bin/github-roles.ts' -c stage=prod -c repository=acme/custodia
 *
 * It takes `permissionsBoundaryArn` from the file of the stage, as the other roles do.
 */

const app = new App();
applyStageFile(app.node);
new GitHubRoles(app, githubRolesSettingsFrom(app.node));
