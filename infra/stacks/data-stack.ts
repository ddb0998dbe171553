import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Backup } from '../backup.ts';
import { Keys } from '../keys.ts';
import type { Settings } from '../settings.ts';
import { RecordTable, type TableReference } from '../table.ts';
import { StageStack } from './stage-stack.ts';

/** The resources that a stage must not lose: the table, its keys and its backups. */
export class DataStack extends StageStack {
  readonly table: TableReference;
  readonly keys: Keys;

  constructor(scope: Construct, settings: Settings) {
    const { terminationProtection, backupRetentionDays: retentionDays, backupCopyVaults: copyVaults, stage } = settings;
    super(scope, { part: 'data', description: 'table, keys and backups', settings, terminationProtection });
    this.table = new RecordTable(this, 'Records', settings).table;
    this.keys = new Keys(this, 'Keys', settings);
    if (retentionDays !== undefined) {
      const { vault } = new Backup(this, 'Backup', { table: this.table, stage, retentionDays, copyVaults });
      new CfnOutput(this, 'BackupVaultName', { value: vault.backupVaultName });
    }
    // Outputs for the operator's command line (`operator/stack.ts`).
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    new CfnOutput(this, 'SecretsKeyArn', { value: this.keys.secrets.keyArn });
  }
}
