import { join } from 'node:path';
import { App, type AppProps } from 'aws-cdk-lib';
import { contracts } from '../functions/all-contracts.ts';
import { bundle } from './bundling/bundle.ts';
import { bundleNames } from './functions.ts';
import { GatewayLogRole } from './gateway-log-role.ts';
import { applyStageFile, settingsFrom } from './settings.ts';
import { makeStage } from './stacks/stage.ts';
import { boundaryOf } from './stacks/stage-stack.ts';

/** Makes the app of a stage, with its bundles, as the context and the stage's file set it. */
export async function makeApp(props: AppProps = {}): Promise<App> {
  const app = new App(props);
  applyStageFile(app.node);
  const settings = settingsFrom(app.node);
  // Inside the assembly, so that the source maps lie beside the deployed code.
  const bundles = await bundle(bundleNames(contracts), join(app.outdir, 'bundles'));
  const { api } = makeStage(app, { contracts, bundles, settings });
  if (settings.gatewayLogRole) api.addStackDependency(new GatewayLogRole(app, boundaryOf(settings)));
  return app;
}
