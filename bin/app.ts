import { makeApp } from '../infra/app.ts';

/**
 * The CDK app: `npx cdk synth -c stage=prod`. `infra/settings.ts` lists the settings; `stages/` has a file for each
 * stage.
 */

await makeApp();
