import { type App, CfnOutput, type CfnResource } from 'aws-cdk-lib';
import { CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IConstruct } from 'constructs';
import type { Contract } from '#contract';
import { Alarms, HEALTH } from '../alarms/alarms.ts';
import { Attachments } from '../attachments.ts';
import { Backup } from '../backup.ts';
import type { Bundles } from '../bundling/bundle.ts';
import { Canary } from '../canary.ts';
import { StageDashboard } from '../dashboard.ts';
import { Deliveries } from '../deliveries.ts';
import { type Firewall, protect } from '../firewall.ts';
import { Functions, found } from '../functions.ts';
import { HEARTBEAT, Heartbeat } from '../heartbeat.ts';
import { Keys } from '../keys.ts';
import { Observed } from '../observed.ts';
import { Api } from '../rest-api.ts';
import { HELD_ALERTS } from '../rights.ts';
import { addOperatorRoles } from '../roles/operator-roles.ts';
import { callOnSchedule } from '../schedule.ts';
import type { Settings } from '../settings.ts';
import { RecordTable, type TableReference } from '../table.ts';
import { StageStack } from './stage-stack.ts';

interface StageProps {
  readonly contracts: readonly Contract[];
  readonly bundles: Bundles;
  readonly settings: Settings;
}

/** The stacks of one stage. */
export interface Stage {
  readonly data: DataStack;
  readonly application: ApplicationStack;
  readonly api: ApiStack;
  readonly operations: OperationsStack;
}

/** Makes the stacks of a stage: data, application, API, operations. Each refers only to earlier ones. */
export function makeStage(app: App, { contracts, bundles, settings }: StageProps): Stage {
  const data = new DataStack(app, settings);
  const application = new ApplicationStack(app, { contracts, bundles, data, settings });
  const api = new ApiStack(app, { contracts, settings });
  const operations = new OperationsStack(app, { contracts, bundles, data, application, api, settings });
  // They refer to functions by names, so CDK does not see the dependencies.
  operations.addStackDependency(api);
  api.addStackDependency(application);
  application.addStackDependency(data);
  return { data, application, api, operations };
}

/** The resources that a stage must not lose: the table, the bucket, their keys and backups. */
export class DataStack extends StageStack {
  readonly table: TableReference;
  readonly attachments: Attachments;
  readonly keys: Keys;

  constructor(scope: Construct, settings: Settings) {
    const { terminationProtection, backupRetentionDays: retentionDays, backupCopyVaults: copyVaults, stage } = settings;
    super(scope, { part: 'data', description: 'table, bucket, keys and backups', settings, terminationProtection });
    const { table, key } = new RecordTable(this, 'Records', settings);
    this.table = table;
    this.attachments = new Attachments(this, 'Attachments', settings, key);
    this.keys = new Keys(this, 'Keys', settings);
    if (retentionDays !== undefined) {
      const { vault } = new Backup(this, 'Backup', { table: this.table, stage, retentionDays, copyVaults });
      new CfnOutput(this, 'BackupVaultName', { value: vault.backupVaultName });
    }
    // Outputs for the operator's command line (`operator/target.ts`).
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    new CfnOutput(this, 'AttachmentsUrl', { value: this.attachments.url });
    new CfnOutput(this, 'SecretsKeyArn', { value: this.keys.secrets.keyArn });
  }
}

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
  readonly functions: Functions;

  constructor(scope: Construct, { contracts, bundles, data, settings }: ApplicationStackProps) {
    super(scope, { part: 'application', description: 'functions and roles of operators', settings });
    const { table, attachments, keys } = data;
    this.functions = new Functions(this, 'Functions', { contracts, bundles, table, attachments, keys, settings });
    new Deliveries(this, 'Deliveries', { functions: this.functions, table, settings });
    const ended = 'Opens tickets of alerts whose maintenance is over';
    callOnSchedule(new Construct(this, 'HeldAlerts'), this.functions.named(HELD_ALERTS), ended);
    if (settings.deployment === 'canary') new Canary(this, 'Canary', this.functions);
    createInWaves(this);
    addOperatorRoles(this, { table, attachments, keys });
    new CfnOutput(this, 'TicketWords', { value: settings.ticketWords ? 'on' : 'off' });
  }
}

interface ApiStackProps {
  readonly contracts: readonly Contract[];
  readonly settings: Settings;
}

/**
 * The API with its address and its firewall. It is deployed when all aliases have been shifted, so that new routes
 * reach functions that serve them.
 */
export class ApiStack extends StageStack {
  readonly api: Api;
  readonly firewall: Firewall | undefined;

  constructor(scope: Construct, { contracts, settings }: ApiStackProps) {
    super(scope, { part: 'api', description: 'API and firewall', settings });
    this.api = new Api(this, 'Api', { contracts, settings });
    const { rest, baseUrl } = this.api;
    this.firewall = protect(this, { stage: rest.deploymentStage, contracts, settings });
    new CfnOutput(this, 'BaseUrl', { value: baseUrl });
    new CfnOutput(this, 'OpenApiUrl', { value: `${baseUrl}/api/v1/openapi` });
  }
}

interface OperationsStackProps {
  readonly contracts: readonly Contract[];
  readonly bundles: Bundles;
  readonly data: DataStack;
  readonly application: ApplicationStack;
  readonly api: ApiStack;
  readonly settings: Settings;
}

/** Alarms, dashboard and heartbeat. Nothing that serves requests depends on this stack. */
export class OperationsStack extends StageStack {
  constructor(scope: Construct, { contracts, bundles, data, application, api, settings }: OperationsStackProps) {
    super(scope, { part: 'operations', description: 'alarms, heartbeat and dashboard', settings });
    const { table } = data;
    const isStandard = settings.profile === 'standard';
    const { firewall } = api;
    // The keys that the stage made, and a key of secrets from its settings.
    const keys = new Set([...data.node.findAll().filter((child) => child instanceof Key), data.keys.secrets]);
    const observed = new Observed(this, 'Observed', { api: api.api, functions: application.functions });
    const path = contracts.find(({ name }) => name === HEALTH)?.routes.getHealth?.path;
    const heartbeat =
      isStandard && path !== undefined
        ? new Heartbeat(this, 'Heartbeat', {
            bundle: found(bundles, HEARTBEAT, 'bundle'),
            url: `${observed.baseUrl}${path}`,
            settings,
          })
        : undefined;
    new Alarms(this, 'Alarms', { contracts, observed, table, keys: [...keys], firewall, heartbeat, settings });
    if (isStandard) new StageDashboard(this, 'Dashboard', { contracts, observed, table, firewall });
  }
}

/**
 * CloudFormation makes all resources at once that do not depend on each other, and CodeDeploy and Lambda refuse a
 * number of calls at once, which fails the stack (https://github.com/aws/aws-cdk/issues/21516,
 * https://github.com/aws/aws-cdk/issues/9882).
 */
const AT_ONCE = 5;

/** Resources whose creation is refused when there are many at once. None of these refers to another of its type. */
const THROTTLED = [CfnDeploymentGroup, CfnEventSourceMapping] as const;

/** Has at most five resources of such a type made at once: each waits for the one that is five places before it. */
export function createInWaves(stack: IConstruct): void {
  for (const type of THROTTLED) {
    const resources = stack.node.findAll().filter((each): each is CfnResource => each instanceof type);
    for (const [index, resource] of resources.entries()) {
      const earlier = resources[index - AT_ONCE];
      if (earlier !== undefined) resource.addResourceDependency(earlier);
    }
  }
}
