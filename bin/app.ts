import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { contracts } from '../functions/all-contracts.ts';
import { bundle } from '../infra/bundling/bundle.ts';
import { bundleNames } from '../infra/functions.ts';
import { GatewayLogRole } from '../infra/gateway-log-role.ts';
import { applyStageFile, settingsFrom } from '../infra/settings.ts';
import { makeStage } from '../infra/stacks/stage.ts';
import { boundaryOf } from '../infra/stacks/stage-stack.ts';

/**
 * The CDK app: `npx cdk synth -c stage=prod`. `infra/settings.ts` lists the settings; `stages/` has a file for each
 * stage.
 */

const app = new App();
applyStageFile(app.node);
const settings = settingsFrom(app.node);
// Inside the assembly, so that the source maps lie beside the deployed code.
const bundles = await bundle(bundleNames(contracts), join(app.outdir, 'bundles'));
const { application } = makeStage(app, { contracts, bundles, settings });
if (settings.gatewayLogRole) application.addStackDependency(new GatewayLogRole(app, boundaryOf(settings)));
