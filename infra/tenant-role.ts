import { Stack } from 'aws-cdk-lib';
import { AccountPrincipal, type Conditions, type Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  deduplicationKey,
  PLATFORM,
  recordsPartition,
  refusalsKey,
  setPartition,
  suspensionKey,
  type TenantId,
} from '../shared/table/keys.ts';
import { auditEventEntity } from '../shared/table/repository/audit-events.ts';
import { ANY_APP, allowItems, denyChanges, type ItemAction } from './item-policy.ts';
import type { TenantRights } from './rights.ts';
import { functionsWith, rolePath } from './role-path.ts';
import { RoleWithRights } from './role-with-rights.ts';
import type { Table } from './table.ts';

/** The session tag that names the tenant a session works for: an organization's id, or `PLATFORM`. */
const TENANT_TAG = 'tenant';

/** The shape of a UUID. No other tag value fits beside `PLATFORM`, least of all one that would widen a pattern of keys. */
const ORGANIZATION_ID = '????????-????-????-????-????????????';

/** The tenant that the session was opened for. */
export const TENANT = `\${aws:PrincipalTag/${TENANT_TAG}}` as TenantId;
export const OF_TENANT = recordsPartition(TENANT, '*');

/** Where the tenant's audit events are, and the sets of their lists. */
export const AUDIT_EVENTS = recordsPartition(TENANT, auditEventEntity.name);
export const SETS_OF_AUDIT_EVENTS = setPartition(`${AUDIT_EVENTS}*`);
const REFUSALS = refusalsKey(TENANT, '', '', '').PK;

const ORGANIZATIONS = recordsPartition(PLATFORM, 'ORG');
/** An organization stands in the platform's list of all too. */
export const LIST_OF_ORGANIZATIONS: readonly string[] = [ORGANIZATIONS, setPartition(ORGANIZATIONS)];

export const ALL_ACTIONS: readonly ItemAction[] = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'ConditionCheckItem',
  'BatchWriteItem',
];

/** These actions, on items of these partition keys. */
type Allowed = readonly [actions: readonly ItemAction[], keys: readonly string[]];

const OWN: Allowed = [ALL_ACTIONS, [OF_TENANT]];

/** Whether the organization is suspended it reads, and nothing more: only the operator suspends and resumes. */
export const SUSPENSION = suspensionKey(TENANT).PK;
const STANDING: Allowed = [['GetItem'], [SUSPENSION]];

const AUDIT: Allowed = [
  ['PutItem', 'UpdateItem'],
  [AUDIT_EVENTS, SETS_OF_AUDIT_EVENTS, REFUSALS],
];

/** An organization takes its place in the list of all, which it does not read; the platform's caller may have given its request a key. */
const PLACE_IN_LIST: Allowed = [
  ['PutItem', 'UpdateItem'],
  [...LIST_OF_ORGANIZATIONS, deduplicationKey(PLATFORM, '*', '').PK],
];

/** Credentials are made, read one by one, changed, and made a condition of; they are neither listed nor deleted. */
const CREDENTIALS: Allowed = [['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'], [ANY_APP]];

/** A condition on them in a transaction, and no more. */
const CONDITION_ON_CREDENTIALS: Allowed = [['ConditionCheckItem'], [ANY_APP]];

/** What functions of each kind do. */
const ALLOWED: Readonly<Record<TenantRights, readonly Allowed[]>> = {
  audit: [AUDIT],
  'records-without-secrets': [OWN, STANDING],
  records: [OWN, STANDING],
  grants: [OWN, STANDING, CONDITION_ON_CREDENTIALS],
  organizations: [OWN, STANDING, PLACE_IN_LIST],
  integrations: [OWN, STANDING, PLACE_IN_LIST, CREDENTIALS],
};

/** Conditions of a trust policy: a session has one tag, which names a tenant. */
export const TAGGED_WITH_TENANT: Conditions = {
  StringLike: { [`aws:RequestTag/${TENANT_TAG}`]: [ORGANIZATION_ID, 'PLATFORM'] },
  'ForAllValues:StringEquals': { 'aws:TagKeys': [TENANT_TAG] },
};

interface TenantRoleProps {
  readonly table: Table;
  /** Which functions work under this role. */
  readonly kind: TenantRights;
  /** Whether it opens the tenant's secrets. */
  readonly secrets: boolean;
}

/**
 * The role under which functions work on the table, opened anew for each tenant with its id as a session tag. Its policy matches the tag
 * against the partition key of every item, so that a function with a bug still cannot leave its tenant (`docs/decisions/0050`), nor change or delete what
 * its audit trail says.
 * A session lasts an hour at most, for a role that assumes a role
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles.html#iam-term-role-chaining).
 */
export class TenantRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, { table, kind, secrets }: TenantRoleProps) {
    super(scope, id);
    const { account } = Stack.of(this);
    this.role = new RoleWithRights(this, 'Role', {
      description: 'Works on the records of the tenant that its session is tagged with',
      path: rolePath(this, secrets ? 'secrets' : 'no-key', 'tenant'),
      assumedBy: new AccountPrincipal(account).withConditions(this.#conditions(kind)).withSessionTags(),
    });
    for (const allowed of ALLOWED[kind]) this.role.addToPolicy(allowItems(table, ...allowed));
    this.role.addToPolicy(denyChanges(table, [AUDIT_EVENTS]));
  }

  /** The functions' roles by their path, for a list of them would outgrow the 2 KB of a trust policy; and one tag, which names the tenant. */
  #conditions(kind: TenantRights): Conditions {
    return { ArnLike: { 'aws:PrincipalArn': functionsWith(this, kind) }, ...TAGGED_WITH_TENANT };
  }
}
