import { storedSets } from '@custodia/counted-lists';
import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import {
  AccountPrincipal,
  CompositePrincipal,
  PolicyStatement,
  type PrincipalBase,
  type Role,
} from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { auditEventEntity, journalEntity, PLATFORM, tenantPartition } from '#table';
import { organizationEntity } from '#tenancy';
import type { Attachments } from '../attachments.ts';
import type { Keys } from '../keys.ts';
import { prefixOf, settingsOf } from '../stacks/stage-stack.ts';
import type { TableReference } from '../table.ts';
import {
  ALL_ACTIONS,
  ANY_APP,
  ANY_SIGN_IN_NAME,
  ANY_SUSPENSION,
  allBut,
  allowItems,
  CHANGES,
  denyItems,
  HELD_REGISTER,
  type OnItems,
  REGISTER,
} from './item-policy.ts';
import { arnPattern, type KeyPurpose, RoleWithRights, rolePath } from './role.ts';
import {
  AUDIT_EVENTS,
  CREDENTIALS_PARTITION,
  JOURNAL,
  LIST_OF_ORGANIZATIONS,
  OF_TENANT,
  PROVIDER_KEYS,
  SETS_OF_AUDIT_EVENTS,
  SETS_OF_JOURNAL,
  SUSPENSION,
  TAGGED_WITH_TENANT,
  TENANT,
  USER_ACCESS,
} from './tenant-role.ts';

/** A role for people, who work under it by the operator's command line (`operator/target.ts` reads the outputs). */
interface OperatorRole {
  readonly description: string;
  /** Its session is not of one tenant. */
  readonly ofPlatform?: true;
  readonly key?: KeyPurpose;
  readonly allowed: readonly OnItems[];
  /** Denied, whatever else allows it. */
  readonly denied?: readonly OnItems[];
  /** Rights on something else than the table's items. */
  readonly more?: (role: Role, context: Context) => void;
}

interface Context {
  readonly table: TableReference;
  readonly attachments: Attachments;
  readonly keys: Keys;
}

const INTEGRATIONS = tenantPartition(TENANT, 'INTEGRATION');
const IDENTITY_PROVIDERS = tenantPartition(TENANT, 'IDENTITY_PROVIDER');
const [ORGANIZATIONS = '', SETS_OF_ORGANIZATIONS = ''] = LIST_OF_ORGANIZATIONS;
const EVENTS_OF_PLATFORM = [auditEventEntity, journalEntity].map(({ name }) => tenantPartition(PLATFORM, name));

/**
 * Which role has what, by the prefix of its output. The account decides by IAM who may assume it, and for which tenants
 * (`docs/decisions/0098-command-line.md`). `test/infra/snapshots/access.txt` lists their rights key by key.
 */
const ROLES: Readonly<Record<string, OperatorRole>> = {
  /**
   * `create-platform-key`, `platform-keys`, `organizations list`: creates, changes and lists integrations of the
   * platform, lists the organizations. It reads no organization's data and decrypts no secret.
   */
  Operator: {
    description: 'Makes and changes integrations of the platform, and lists the organizations (bin/operator.ts)',
    ofPlatform: true,
    key: 'platform-secrets',
    allowed: [
      [['GetItem', 'PutItem', 'UpdateItem'], [tenantPartition(PLATFORM, '*')]],
      // To claim the app codes of new ones, which must be unused.
      [['PutItem'], [ANY_APP]],
      [['Query'], ['INTEGRATION', 'ORG'].map((kind) => tenantPartition(PLATFORM, kind))],
      [['GetItem'], [ANY_SUSPENSION]],
    ],
    denied: [[CHANGES, EVENTS_OF_PLATFORM]],
    more: (role, { keys }) => keys.allowEncryptionForPlatform(role),
  },
  /**
   * `verify`, `restore-tenant`, `organizations suspend` and `resume`: works on the records of its tenant, and on the
   * tenant's copy in the platform's list of organizations; reads its records in restored copies of the table
   * (`docs/decisions/0112-restoring.md`). It decrypts no secret, reaches no credentials, and changes and deletes no
   * event, audited or journaled.
   */
  Maintenance: {
    description: 'Verifies, repairs and suspends the tenant that its session is tagged with (bin/operator.ts)',
    allowed: [
      [ALL_ACTIONS, [OF_TENANT]],
      // Item by item: no session of an organization lists the others.
      [['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'], LIST_OF_ORGANIZATIONS],
      // To suspend and resume.
      [['GetItem', 'PutItem', 'DeleteItem'], [SUSPENSION]],
      [['GetItem', 'PutItem'], [ANY_SIGN_IN_NAME]],
    ],
    denied: [
      [ALL_ACTIONS, [CREDENTIALS_PARTITION, PROVIDER_KEYS]],
      [CHANGES, [AUDIT_EVENTS, JOURNAL]],
    ],
    more: (role, { attachments }) => {
      allowCopies(role);
      attachments.allow(role, 's3:DeleteObject');
    },
  },
  /** `export`: reads the tenant's items (`docs/decisions/0096-suspending-exporting-erasing.md`). */
  Export: {
    description: 'Reads the records of the tenant that its session is tagged with (bin/operator.ts)',
    allowed: [[['GetItem', 'Query'], [OF_TENANT]]],
    denied: [[ALL_ACTIONS, [CREDENTIALS_PARTITION, PROVIDER_KEYS, USER_ACCESS]]],
  },
  /**
   * `erase`: suspends the organization, removes it from the platform's list, and deletes all items of the tenant,
   * including audit events, which no other role can delete. It deletes app codes and sign-in names one by one: IAM
   * cannot see whose they are, so the condition of each deletion checks it
   * (`docs/decisions/0096-suspending-exporting-erasing.md`).
   */
  Erasure: {
    description: 'Erases the tenant that its session is tagged with (bin/operator.ts)',
    allowed: [
      [['GetItem', 'Query', 'DeleteItem'], [OF_TENANT]],
      [
        ['PutItem', 'UpdateItem'],
        [AUDIT_EVENTS, SETS_OF_AUDIT_EVENTS],
      ],
      [['GetItem', 'PutItem'], [SUSPENSION]],
      [['GetItem', 'DeleteItem'], [ORGANIZATIONS]],
      [['UpdateItem'], [SETS_OF_ORGANIZATIONS]],
      [['DeleteItem'], [ANY_APP, ANY_SIGN_IN_NAME]],
      // It finds the tenant's entries by their sort keys, which IAM does not see.
      [
        ['Query', 'DeleteItem'],
        [REGISTER, HELD_REGISTER],
      ],
    ],
    denied: [
      [allBut('DeleteItem'), [CREDENTIALS_PARTITION]],
      [allBut('GetItem', 'Query', 'DeleteItem'), [USER_ACCESS, PROVIDER_KEYS]],
    ],
    more: (role, { attachments }) => {
      attachments.allow(role, 's3:DeleteObjectVersion');
      attachments.allowListing(role);
    },
  },
  /**
   * `webhooks replay`: has the rights of the function that receives webhooks, for one tenant, and decrypts the tenant's
   * secrets, because the data of events is encrypted (`docs/decisions/0061-webhooks.md`).
   */
  Replay: {
    description: 'Applies webhook events of the tenant that its session is tagged with (bin/operator.ts)',
    key: 'secrets',
    allowed: [[ALL_ACTIONS, [OF_TENANT]]],
    denied: [
      // An event is applied with the permissions that its integration has now.
      [allBut('GetItem', 'ConditionCheckItem'), [CREDENTIALS_PARTITION]],
      [ALL_ACTIONS, [PROVIDER_KEYS]],
      [CHANGES, [AUDIT_EVENTS, JOURNAL]],
    ],
    more: (role, { keys }) => keys.allowSecretsOfTenant(role),
  },
  /**
   * `integrations list` and `disable`, and the same of `identity-providers`: lists those of its tenant, and changes
   * them with their credentials and with what users may do, one by one. It creates and deletes none, decrypts no secret
   * and sees no other record. IAM cannot distinguish the end of a key or a provider from other changes; the audit event
   * does.
   */
  CutOff: {
    description: 'Lists and cuts off integrations of the tenant that its session is tagged with (bin/operator.ts)',
    allowed: [
      [['GetItem'], [tenantPartition(TENANT, organizationEntity.name)]],
      [['GetItem', 'Query', 'UpdateItem'], [INTEGRATIONS]],
      [['UpdateItem'], [storedSets.partitionOf(`${INTEGRATIONS}*`), tenantPartition(TENANT, 'QUOTA')]],
      [
        ['GetItem', 'UpdateItem'],
        [CREDENTIALS_PARTITION, USER_ACCESS],
      ],
      [['GetItem', 'Query', 'UpdateItem'], [IDENTITY_PROVIDERS]],
      [['UpdateItem'], [storedSets.partitionOf(`${IDENTITY_PROVIDERS}*`)]],
      [['PutItem'], [AUDIT_EVENTS, JOURNAL]],
      [['UpdateItem'], [SETS_OF_AUDIT_EVENTS, SETS_OF_JOURNAL]],
    ],
  },
  /**
   * `logs` and `backup status`: reads the logs of functions and gateway, the list of organizations, whose app
   * codes are, and the list of backups. It reads no organization's data and changes nothing. Commands that take an
   * organization by its slug or app code look it up under this role.
   */
  Support: {
    description: 'Reads logs, the list of organizations and the state of backups (bin/operator.ts)',
    ofPlatform: true,
    allowed: [
      [['Query'], [tenantPartition(PLATFORM, organizationEntity.name)]],
      [['GetItem'], [ANY_APP]],
    ],
    more: allowLogsAndBackups,
  },
};

/** Makes the roles of operators, and outputs with their ARNs. */
export function addOperatorRoles(stack: Stack, context: Context): void {
  const { table } = context;
  for (const [name, { description, ofPlatform, key = 'no-key', allowed, denied = [], more }] of Object.entries(ROLES)) {
    const scope = new Construct(stack, name);
    const trusted = operators(scope);
    const role = new RoleWithRights(scope, 'Role', {
      description,
      path: rolePath(scope, key, 'operator'),
      assumedBy: ofPlatform ? trusted : trusted.withConditions(TAGGED_WITH_TENANT).withSessionTags(),
    });
    for (const each of allowed) role.addToPolicy(allowItems(table, ...each));
    for (const each of denied) role.addToPolicy(denyItems(table, ...each));
    more?.(role, context);
    new CfnOutput(stack, `${name}RoleArn`, { value: role.roleArn });
  }
}

/**
 * Who may assume the roles: everybody of the account whom IAM allows to, or only those whom the stage names, with a
 * second factor where the stage requires one (`docs/decisions/0098-command-line.md`). A condition names them: a
 * principal that does not exist would fail the deployment, and nobody knows the names of IAM Identity Center's roles
 * beforehand.
 */
function operators(scope: Construct): PrincipalBase {
  const { operatorPrincipals, requireMfa } = settingsOf(scope);
  const named = operatorPrincipals.map((arn) => arn.split(':')[4] ?? '');
  const accounts = named.length === 0 ? [Stack.of(scope).account] : [...new Set(named)];
  return new CompositePrincipal(...accounts.map((account) => new AccountPrincipal(account))).withConditions({
    ...(named.length === 0 ? {} : { ArnLike: { 'aws:PrincipalArn': operatorPrincipals } }),
    ...(requireMfa ? { Bool: { 'aws:MultiFactorAuthPresent': 'true' } } : {}),
  });
}

/** Tables restored for `restore-tenant` are named after the stage, with a dot, which no stack's name contains. */
function allowCopies(role: Role): void {
  const reason = 'A table is restored under a new name each time, and only the keys of the tenant are read of it.';
  const copies = { tableArn: arnPattern(role, 'dynamodb', `table/${prefixOf(role)}.*`, reason) };
  role.addToPolicy(allowItems(copies, ['GetItem', 'Query'], [OF_TENANT]));
  role.addToPolicy(denyItems(copies, ['GetItem', 'Query'], [CREDENTIALS_PARTITION]));
}

/**
 * Prefixes of the names that CloudFormation gives the log groups of functions and gateway (`operator/logs.ts`).
 */
const LOG_GROUPS = ['Functions', 'api-ApiAccessLogs'] as const;

function allowLogsAndBackups(role: Role, { table }: Context): void {
  const reason =
    'CloudFormation and AWS name log groups and the vault: their prefixes are the stage’s. The rest only reads.';
  const pattern = (service: string, resource: string): string => arnPattern(role, service, resource, reason);
  const allow = (actions: string[], ...resources: string[]) =>
    role.addToPolicy(new PolicyStatement({ actions, resources }));
  allow(['logs:StartQuery'], ...LOG_GROUPS.map((begin) => pattern('logs', `log-group:${prefixOf(role)}-${begin}*`)));
  allow(['logs:DescribeLogGroups'], pattern('logs', 'log-group:*'));
  // These actions support no resource-level permissions:
  // https://docs.aws.amazon.com/service-authorization/latest/reference/reference.html
  allow(['logs:GetQueryResults', 'backup:ListBackupJobs', 'backup:ListCopyJobs'], '*');
  Validations.of(role).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason });
  allow(['dynamodb:DescribeContinuousBackups'], table.tableArn);
  // The stage's vault, by the prefix of its name (`infra/backup.ts`).
  const vault = pattern('backup', `backup-vault:${settingsOf(role).stage}-AROA*`);
  allow(['backup:DescribeBackupVault', 'backup:ListRecoveryPointsByBackupVault'], vault);
}
