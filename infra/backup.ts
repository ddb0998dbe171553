import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { TableReference } from './table.ts';

/** https://docs.aws.amazon.com/aws-backup/latest/devguide/iam-service-roles.html */
const POLICY = 'service-role/AWSBackupServiceRolePolicyForBackup';

interface BackupProps {
  readonly table: TableReference;
  readonly stage: string;
  readonly retentionDays: number;
  /** ARNs of the vaults to which each backup is copied. */
  readonly copyVaults: readonly string[];
}

/**
 * Daily backups of the table, for cases that the 35 days of point-in-time recovery do not cover: mistakes that are
 * noticed late, and a deleted table. The vault's lock refuses to delete a backup, or to shorten its retention, before
 * its retention ends; only those who may change the lock can do so.
 * https://docs.aws.amazon.com/aws-backup/latest/devguide/vault-lock.html
 */
export class Backup extends Construct {
  readonly vault: BackupVault;

  constructor(scope: Construct, id: string, { table, stage, retentionDays, copyVaults }: BackupProps) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      description: 'Makes the daily backups of the table',
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(POLICY)],
    });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${POLICY}]`,
      reason: 'AWS keeps this policy up to what its backups need, and only AWS Backup assumes the role.',
    });
    this.vault = new BackupVault(this, 'Vault', {
      // A vault needs a name of up to 50 characters, and outlives the setting and the stack, so the name contains the
      // id of the role, which is new each time.
      backupVaultName: `${stage}-${role.roleId}`,
      lockConfiguration: { minRetention: Duration.days(retentionDays) },
      // A vault with backups cannot be deleted: the deletion of the stack would fail.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    const daily = new BackupPlanRule({
      ruleName: 'daily',
      scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
      deleteAfter: Duration.days(retentionDays),
      copyActions: copyVaults.map((arn, index) => ({
        destinationBackupVault: BackupVault.fromBackupVaultArn(this, `CopyVault${index}`, arn),
        deleteAfter: Duration.days(retentionDays),
      })),
    });
    const plan = new BackupPlan(this, 'Plan', { backupVault: this.vault, backupPlanRules: [daily] });
    plan.addSelection('Table', {
      resources: [BackupResource.fromArn(table.tableArn)],
      role,
      disableDefaultBackupPolicy: true,
    });
  }
}
