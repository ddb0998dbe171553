import type { Construct } from 'constructs';
import type { Contract } from '../../shared/contract/route.ts';
import { Alarms } from '../alarms/alarms.ts';
import { StageDashboard } from '../dashboard/dashboard.ts';
import { Observed } from '../observed.ts';
import type { Settings } from '../settings.ts';
import type { ApplicationStack } from './application-stack.ts';
import type { DataStack } from './data-stack.ts';
import { StageStack } from './stage-stack.ts';

interface OperationsStackProps {
  readonly contracts: readonly Contract[];
  readonly data: DataStack;
  readonly application: ApplicationStack;
  readonly settings: Settings;
}

/** What tells people how the stage is doing. Nothing that serves requests depends on it. */
export class OperationsStack extends StageStack {
  constructor(scope: Construct, { contracts, data: { table }, application, settings }: OperationsStackProps) {
    super(scope, { part: 'operations', description: 'alarms and dashboard', settings });
    const { firewall } = application;
    const observed = new Observed(this, 'Observed', application);
    new Alarms(this, 'Alarms', { observed, table, firewall, settings });
    if (settings.dashboard) new StageDashboard(this, 'Dashboard', { contracts, observed, table, firewall });
  }
}
