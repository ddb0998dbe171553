import { Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { PLATFORM, recordsPartition } from '#table/keys';
import { organizationEntity } from '#tenancy';
import { arnPattern } from './arn-pattern.ts';
import { ANY_APP, allowItems } from './item-policy.ts';
import { operators } from './operators.ts';
import { rolePath } from './role-path.ts';
import { RoleWithRights } from './role-with-rights.ts';
import type { Settings } from './settings.ts';
import { prefixOf } from './stacks/stage-stack.ts';
import type { TableReference } from './table.ts';

/** Prefixes of the names that CloudFormation gives the log groups of functions and gateway (`operator/logs/groups.ts`). */
const LOG_GROUPS = ['Functions', 'ApiAccessLogs'] as const;

/**
 * The role of the operator's `logs`, `usage` and `backup status`: it reads the logs of functions and gateway, the list of
 * organizations, whose app codes are, and the list of backups. It reads no organization's data and changes nothing.
 * Commands that take an organization by its slug or app code look it up under this role.
 */
export class SupportRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, table: TableReference, { stage }: Settings) {
    super(scope, id);
    this.role = new RoleWithRights(this, 'Role', {
      description: 'Reads logs, the list of organizations and the state of backups (bin/operator.ts)',
      path: rolePath(this, 'no-key', 'operator'),
      assumedBy: operators(this),
    });
    this.#allow(
      ['logs:StartQuery'],
      LOG_GROUPS.map((begin) => this.#pattern('logs', `log-group:${prefixOf(this)}-${begin}*`)),
    );
    this.#allow(['logs:DescribeLogGroups'], [this.#pattern('logs', 'log-group:*')]);
    // These actions support no resource-level permissions:
    // https://docs.aws.amazon.com/service-authorization/latest/reference/reference.html
    this.#allow(['logs:GetQueryResults', 'backup:ListBackupJobs', 'backup:ListCopyJobs'], ['*']);
    Validations.of(this.role).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason: REASON });
    this.role.addToPolicy(allowItems(table, ['Query'], [recordsPartition(PLATFORM, organizationEntity.name)]));
    this.role.addToPolicy(allowItems(table, ['GetItem'], [ANY_APP]));
    this.#allow(['dynamodb:DescribeContinuousBackups'], [table.tableArn]);
    // The stage's vault, by the prefix of its name (`infra/backup.ts`).
    const vault = this.#pattern('backup', `backup-vault:${stage}-AROA*`);
    this.#allow(['backup:DescribeBackupVault', 'backup:ListRecoveryPointsByBackupVault'], [vault]);
  }

  #pattern(service: string, resource: string): string {
    return arnPattern(this.role, { service, resource, reason: REASON });
  }

  #allow(actions: readonly string[], resources: readonly string[]): void {
    this.role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
  }
}

const REASON =
  'Names of log groups and of the vault are made by CloudFormation and AWS: their prefixes are the stage’s. What knows no resources only reads.';
