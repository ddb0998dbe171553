import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Bundles } from '#bundling';
import type { Contract } from '#contract';
import { Canary } from '../canary.ts';
import { createInWaves } from '../creation-waves.ts';
import { Deliveries } from '../deliveries.ts';
import { type Firewall, protect } from '../firewall.ts';
import { Functions } from '../functions.ts';
import { Api } from '../rest-api.ts';
import { addOperatorRoles } from '../roles/operator-roles.ts';
import type { Settings } from '../settings.ts';
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

    new CfnOutput(this, 'BaseUrl', { value: baseUrl });
    new CfnOutput(this, 'OpenApiUrl', { value: `${baseUrl}/api/v1/openapi` });
    addOperatorRoles(this, { table, keys });
    new CfnOutput(this, 'TicketWords', { value: settings.ticketWords ? 'on' : 'off' });
  }
}
