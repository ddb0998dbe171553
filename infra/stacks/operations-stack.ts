import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Bundles } from '#bundling';
import type { Contract } from '#contract';
import { Alarms, HEALTH } from '../alarms/alarms.ts';
import { StageDashboard } from '../dashboard/dashboard.ts';
import { found } from '../functions.ts';
import { HEARTBEAT, Heartbeat } from '../heartbeat.ts';
import { Observed } from '../observed.ts';
import type { Settings } from '../settings.ts';
import type { ApplicationStack } from './application-stack.ts';
import type { DataStack } from './data-stack.ts';
import { StageStack } from './stage-stack.ts';

interface OperationsStackProps {
  readonly contracts: readonly Contract[];
  readonly bundles: Bundles;
  readonly data: DataStack;
  readonly application: ApplicationStack;
  readonly settings: Settings;
}

/** Alarms, dashboard and heartbeat. Nothing that serves requests depends on this stack. */
export class OperationsStack extends StageStack {
  constructor(scope: Construct, { contracts, bundles, data, application, settings }: OperationsStackProps) {
    super(scope, { part: 'operations', description: 'alarms, heartbeat and dashboard', settings });
    const { table } = data;
    const { firewall } = application;
    // The keys that the stage made, and a key of secrets from its settings.
    const keys = new Set([...data.node.findAll().filter((child) => child instanceof Key), data.keys.secrets]);
    const observed = new Observed(this, 'Observed', application);
    const path = contracts.find(({ name }) => name === HEALTH)?.routes.getHealth?.path;
    const heartbeat =
      settings.heartbeat && path !== undefined
        ? new Heartbeat(this, 'Heartbeat', {
            bundle: found(bundles, HEARTBEAT, 'bundle'),
            url: `${observed.baseUrl}${path}`,
            settings,
          })
        : undefined;
    new Alarms(this, 'Alarms', { contracts, observed, table, keys: [...keys], firewall, heartbeat, settings });
    if (settings.dashboard) new StageDashboard(this, 'Dashboard', { contracts, observed, table, firewall });
  }
}
