import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { TableReference } from './table.ts';

interface BackupProps {
  readonly table: TableReference;
  readonly stage: string;
  readonly retentionDays: number;
  /** ARNs of the vaults to which each backup is copied. */
  readonly copyVaults: readonly string[];
}

/**
 * A backup of the table each day, for what the 35 days of point-in-time recovery do not cover: mistakes that are noticed late, and a table that was
 * deleted. The vault lets nobody delete a backup, or keep it for a shorter time, before its retention is over, except those who may change the
 * vault's lock.
 * https://docs.aws.amazon.com/aws-backup/latest/devguide/vault-lock.html
 */
export class Backup extends Construct {
  readonly vault: BackupVault;

  constructor(scope: Construct, id: string, { table, stage, retentionDays, copyVaults }: BackupProps) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      description: 'Makes the daily backups of the table',
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSBackupServiceRolePolicyForBackup')],
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason:
        'AWS keeps this policy up to what its backups need, and only AWS Backup assumes the role: https://docs.aws.amazon.com/aws-backup/latest/devguide/iam-service-roles.html',
    });
    this.vault = new BackupVault(this, 'Vault', {
      // It needs a name, and stays when the setting or the stack goes: the id of the role is a new one each time. Up to 50 characters.
      backupVaultName: `${stage}-${role.roleId}`,
      lockConfiguration: { minRetention: Duration.days(retentionDays) },
      // One that holds backups cannot be deleted, which would make the deletion of any stack fail.
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
