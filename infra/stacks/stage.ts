import type { App } from 'aws-cdk-lib';
import type { Bundles } from '#bundling';
import type { Contract } from '#contract';
import type { Settings } from '../settings.ts';
import { ApplicationStack } from './application-stack.ts';
import { DataStack } from './data-stack.ts';
import { OperationsStack } from './operations-stack.ts';

interface StageProps {
  readonly contracts: readonly Contract[];
  readonly bundles: Bundles;
  readonly settings: Settings;
}

/** The stacks of one stage. */
export interface Stage {
  readonly data: DataStack;
  readonly application: ApplicationStack;
  readonly operations: OperationsStack;
}

/** Makes the stacks of a stage: data, application, operations. Each refers only to earlier ones. */
export function makeStage(app: App, { contracts, bundles, settings }: StageProps): Stage {
  const data = new DataStack(app, settings);
  const application = new ApplicationStack(app, { contracts, bundles, data, settings });
  const operations = new OperationsStack(app, { contracts, bundles, data, application, settings });
  // It refers to the application by names, so CDK does not see the dependency.
  operations.addStackDependency(application);
  application.addStackDependency(data);
  return { data, application, operations };
}
