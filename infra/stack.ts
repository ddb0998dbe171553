import { CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Contract } from '../shared/contract/route.ts';
import { Alarms } from './alarms/alarms.ts';
import { Backup } from './backup.ts';
import type { Bundles } from './bundling/bundle.ts';
import { Canary } from './canary.ts';
import { StageDashboard } from './dashboard/dashboard.ts';
import { ErasureRole } from './erasure-role.ts';
import { ExportRole } from './export-role.ts';
import { protect } from './firewall.ts';
import { Functions } from './functions.ts';
import { Keys } from './keys.ts';
import { MaintenanceRole } from './maintenance-role.ts';
import { OperatorRole } from './operator-role.ts';
import { ReplayRole } from './replay-role.ts';
import { Api } from './rest-api.ts';
import type { Settings } from './settings.ts';
import { RecordTable } from './table.ts';

interface CustodiaProps {
  readonly contracts: readonly Contract[];
  readonly bundles: Bundles;
  readonly settings: Settings;
}

/** The whole service of one stage: one construct for each thing it can do. */
export class CustodiaStack extends Stack {
  constructor(scope: Construct, id: string, { contracts, bundles, settings }: CustodiaProps) {
    super(scope, id, {
      description: `Custodia, stage ${settings.stage}`,
      terminationProtection: settings.terminationProtection,
    });
    const { table } = new RecordTable(this, 'Records', settings);
    const keys = new Keys(this, 'Keys', settings);
    const functions = new Functions(this, 'Functions', { contracts, bundles, table, keys, settings });
    const api = new Api(this, 'Api', { contracts, functions, settings });
    const { rest, baseUrl } = api;
    const firewall = protect(this, { stage: rest.deploymentStage, contracts, settings });
    new Alarms(this, 'Alarms', { api, functions, table, firewall, settings });
    if (settings.dashboard) new StageDashboard(this, 'Dashboard', { contracts, api, functions, table, firewall });
    if (settings.deployment === 'canary') new Canary(this, 'Canary', functions, rest);

    const operator = new OperatorRole(this, 'Operator', table, keys);
    const maintenance = new MaintenanceRole(this, 'Maintenance', table);
    const exporting = new ExportRole(this, 'Export', table);
    const erasure = new ErasureRole(this, 'Erasure', table);
    const replay = new ReplayRole(this, 'Replay', table, keys);

    const { backupRetentionDays: retentionDays, stage } = settings;
    if (retentionDays !== undefined) {
      const { vault } = new Backup(this, 'Backup', { table, stage, retentionDays });
      new CfnOutput(this, 'BackupVaultName', { value: vault.backupVaultName });
    }

    new CfnOutput(this, 'BaseUrl', { value: baseUrl });
    new CfnOutput(this, 'OpenApiUrl', { value: `${baseUrl}/api/v1/openapi` });
    // What `bin/operator.ts` needs to know.
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'SecretsKeyArn', { value: keys.secrets.keyArn });
    new CfnOutput(this, 'OperatorRoleArn', { value: operator.role.roleArn });
    new CfnOutput(this, 'MaintenanceRoleArn', { value: maintenance.role.roleArn });
    new CfnOutput(this, 'ExportRoleArn', { value: exporting.role.roleArn });
    new CfnOutput(this, 'ErasureRoleArn', { value: erasure.role.roleArn });
    new CfnOutput(this, 'ReplayRoleArn', { value: replay.role.roleArn });
    Tags.of(this).add('service', 'custodia');
    Tags.of(this).add('stage', settings.stage);
  }
}
