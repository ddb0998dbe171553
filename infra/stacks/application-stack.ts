import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Bundles } from '#bundling';
import type { Contract } from '#contract';
import { Canary } from '../canary.ts';
import { createInWaves } from '../creation-waves.ts';
import { CutOffRole } from '../cut-off-role.ts';
import { Deliveries } from '../deliveries.ts';
import { ErasureRole } from '../erasure-role.ts';
import { ExportRole } from '../export-role.ts';
import { type Firewall, protect } from '../firewall.ts';
import { Functions } from '../functions.ts';
import { MaintenanceRole } from '../maintenance-role.ts';
import { OperatorRole } from '../operator-role.ts';
import { ReplayRole } from '../replay-role.ts';
import { Api } from '../rest-api.ts';
import type { Settings } from '../settings.ts';
import { SupportRole } from '../support-role.ts';
import type { DataStack } from './data-stack.ts';
import { StageStack } from './stage-stack.ts';

interface ApplicationStackProps {
  readonly contracts: readonly Contract[];
  readonly bundles: Bundles;
  readonly data: DataStack;
  readonly settings: Settings;
}

/**
 * The functions with what calls them, and the roles of operators. It stores only logs, and wake-ups that the schedule
 * repeats, so it can be recreated.
 */
export class ApplicationStack extends StageStack {
  readonly api: Api;
  readonly functions: Functions;
  readonly firewall: Firewall | undefined;

  constructor(scope: Construct, { contracts, bundles, data: { table, keys }, settings }: ApplicationStackProps) {
    super(scope, { part: 'application', description: 'API and functions', settings });
    this.functions = new Functions(this, 'Functions', { contracts, bundles, table, keys, settings });
    new Deliveries(this, 'Deliveries', { functions: this.functions, table, settings });
    this.api = new Api(this, 'Api', { contracts, functions: this.functions, settings });
    const { rest, baseUrl } = this.api;
    this.firewall = protect(this, { stage: rest.deploymentStage, contracts, settings });
    if (settings.deployment === 'canary') new Canary(this, 'Canary', this.functions);
    createInWaves(this);

    const operator = new OperatorRole(this, 'Operator', table, keys);
    const maintenance = new MaintenanceRole(this, 'Maintenance', table);
    const exporting = new ExportRole(this, 'Export', table);
    const erasure = new ErasureRole(this, 'Erasure', table);
    const replay = new ReplayRole(this, 'Replay', table, keys);
    const cutOff = new CutOffRole(this, 'CutOff', table);
    const support = new SupportRole(this, 'Support', table, settings);

    new CfnOutput(this, 'BaseUrl', { value: baseUrl });
    new CfnOutput(this, 'OpenApiUrl', { value: `${baseUrl}/api/v1/openapi` });
    // Outputs for the operator's command line (`operator/stack.ts`).
    new CfnOutput(this, 'OperatorRoleArn', { value: operator.role.roleArn });
    new CfnOutput(this, 'MaintenanceRoleArn', { value: maintenance.role.roleArn });
    new CfnOutput(this, 'ExportRoleArn', { value: exporting.role.roleArn });
    new CfnOutput(this, 'ErasureRoleArn', { value: erasure.role.roleArn });
    new CfnOutput(this, 'ReplayRoleArn', { value: replay.role.roleArn });
    new CfnOutput(this, 'CutOffRoleArn', { value: cutOff.role.roleArn });
    new CfnOutput(this, 'SupportRoleArn', { value: support.role.roleArn });
    new CfnOutput(this, 'TicketWords', { value: settings.ticketWords ? 'on' : 'off' });
  }
}
