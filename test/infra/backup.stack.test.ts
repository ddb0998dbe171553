import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { CloudFormation, stackIn } from './account/cloudformation.ts';
import { assemble, resourcesOf, synthesize } from './synthesize.ts';

let template: Template;
beforeAll(() => {
  template = synthesize({ context: { stage: 'stage-with-20-letter', backupRetentionDays: 90 } }).data;
});

describe('backups', () => {
  it('are not made unless a stage says for how long', () => {
    const without = synthesize().data;
    for (const type of ['BackupVault', 'BackupPlan', 'BackupSelection']) {
      without.resourceCountIs(`AWS::Backup::${type}`, 0);
    }
    expect(without.toJSON().Outputs).not.toHaveProperty('BackupVaultName');
  });

  it('are made of the table, daily, and kept for as long as it says', () => {
    template.hasResourceProperties('AWS::Backup::BackupPlan', {
      BackupPlan: {
        BackupPlanRule: [
          {
            RuleName: 'daily',
            ScheduleExpression: 'cron(0 3 * * ? *)',
            Lifecycle: { DeleteAfterDays: 90 },
            TargetBackupVault: { 'Fn::GetAtt': [Match.stringLikeRegexp('^BackupVault'), 'BackupVaultName'] },
          },
        ],
      },
    });
    const [[table] = ['']] = resourcesOf(template, 'AWS::DynamoDB::GlobalTable');
    template.hasResourceProperties('AWS::Backup::BackupSelection', {
      BackupSelection: {
        Resources: [{ 'Fn::GetAtt': [table, 'Arn'] }],
        IamRoleArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^BackupRole'), 'Arn'] },
      },
    });
  });

  it('are copied to other regions and accounts where the stage names vaults there, and kept there as long', () => {
    const backupCopyVaults = ['eu-central-1:111122223333', 'eu-west-1:444455556666'].map(
      (place) => `arn:aws:backup:${place}:backup-vault:custodia`,
    );
    const context = { backupRetentionDays: 90, backupCopyVaults: backupCopyVaults.join() };
    const [[, plan] = []] = resourcesOf(synthesize({ context }).data, 'AWS::Backup::BackupPlan');
    const CopyActions = backupCopyVaults.map((DestinationBackupVaultArn) => ({
      DestinationBackupVaultArn,
      Lifecycle: { DeleteAfterDays: 90 },
    }));
    expect(plan?.Properties).toMatchObject({ BackupPlan: { BackupPlanRule: [{ CopyActions }] } });
    expect(() => synthesize({ context: { backupCopyVaults: 'custodia', backupRetentionDays: 90 } })).toThrow(
      /backupCopyVaults\.0: ARNs of vaults/,
    );
    expect(() => synthesize({ context: { backupCopyVaults: backupCopyVaults[0] } })).toThrow(
      /backupCopyVaults: needs backupRetentionDays/,
    );
  });

  it('are in a vault that gives up none of them early, and stays when the stack goes', () => {
    template.hasResource('AWS::Backup::BackupVault', {
      Properties: { LockConfiguration: { MinRetentionDays: 90 } },
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
    expect(template.toJSON().Outputs.BackupVaultName).toBeDefined();
  });

  it('are made under a role that only AWS Backup assumes, and that only makes them', () => {
    const [[, role] = []] = resourcesOf(template, 'AWS::IAM::Role').filter(([id]) => id.startsWith('BackupRole'));
    expect(role?.Properties).toMatchObject({
      AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: 'backup.amazonaws.com' } }] },
    });
    const managed = JSON.stringify(role?.Properties.ManagedPolicyArns).match(/AWSBackup\w+/g);
    expect(managed).toEqual(['AWSBackupServiceRolePolicyForBackup']);
  });

  it('can be switched off and on, and their stack deployed again, without a name that is taken or too long', () => {
    const stackWith = (context: Readonly<Record<string, unknown>>) =>
      assemble({ context }, (_, directory) => stackIn(directory, 'custodia-dev-data'));
    const [on, off] = [stackWith({ backupRetentionDays: 90 }), stackWith({})];
    const account = new CloudFormation();
    for (const each of [on, off, on]) account.deploy(each);
    account.destroy(on.name);
    account.deploy(on);
    const vaults = account.orphans.filter(({ declared }) => declared.Type === 'AWS::Backup::BackupVault');
    expect(vaults).toHaveLength(2);
    const [[, vault] = []] = resourcesOf(template, 'AWS::Backup::BackupVault');
    // An id of a role has 21 characters, a name of a vault up to 50.
    expect(vault?.Properties.BackupVaultName).toEqual({
      'Fn::Join': ['', ['stage-with-20-letter-', { 'Fn::GetAtt': [expect.stringMatching(/^BackupRole/), 'RoleId'] }]],
    });
    expect('stage-with-20-letter-'.length + 21).toBeLessThanOrEqual(50);
  });
});
