import { Stack } from 'aws-cdk-lib';
import { AccountPrincipal, type Conditions, type Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { setPartition } from '#lists';
import { auditEventEntity, PLATFORM, type TenantId } from '#table';
import { deduplicationKey, recordsPartition, refusalsKey, suspensionKey } from '#table/storage';
import {
  ALL_ACTIONS,
  ANY_APP,
  allowItems,
  CHANGES,
  CREDENTIALS_OF_PLATFORM,
  credentialsPartition,
  denyAllBut,
  denyItems,
  type ItemAction,
  ORGANIZATION_ID,
} from './item-policy.ts';
import type { TenantRights } from './rights.ts';
import { functionsWith, rolePath } from './role-path.ts';
import { RoleWithRights } from './role-with-rights.ts';
import type { TableReference } from './table.ts';

/** The session tag that names the tenant a session works for: an organization's id, or `PLATFORM`. */
const TENANT_TAG = 'tenant';

/** The tenant that the session was opened for. */
export const TENANT = `\${aws:PrincipalTag/${TENANT_TAG}}` as TenantId;
export const OF_TENANT = recordsPartition(TENANT, '*');

/** Where the tenant's audit events are, and the sets of their lists. */
export const AUDIT_EVENTS = recordsPartition(TENANT, auditEventEntity.name);
export const SETS_OF_AUDIT_EVENTS = setPartition(`${AUDIT_EVENTS}*`);

/** The credentials of the tenant's integrations. */
export const CREDENTIALS_PARTITION = credentialsPartition(TENANT);
const REFUSALS = refusalsKey(TENANT, '', '', '').PK;

const ORGANIZATIONS = recordsPartition(PLATFORM, 'ORG');
/** An organization stands in the platform's list of all too. */
export const LIST_OF_ORGANIZATIONS: readonly string[] = [ORGANIZATIONS, setPartition(ORGANIZATIONS)];

/** These actions, on items of these partition keys. */
type Allowed = readonly [actions: readonly ItemAction[], keys: readonly string[]];

/** The tenant's own keys. What is deleted by batches is what belonged to a deleted record. */
const OWN: Allowed = [ALL_ACTIONS.filter((action) => action !== 'BatchWriteItem'), [OF_TENANT]];
const OWN_WITH_CASCADES: Allowed = [ALL_ACTIONS, [OF_TENANT]];

/** Whether the organization is suspended it reads, and nothing more: only the operator suspends and resumes. */
export const SUSPENSION = suspensionKey(TENANT).PK;
const SUSPENSION_CHECK: Allowed = [['GetItem'], [SUSPENSION]];

const AUDIT: Allowed = [
  ['PutItem', 'UpdateItem'],
  [AUDIT_EVENTS, SETS_OF_AUDIT_EVENTS, REFUSALS],
];

/** An organization takes its place in the list of all, which it does not read; the platform's caller may have given its request a key. */
const PLACE_IN_LIST: Allowed = [
  ['PutItem', 'UpdateItem'],
  [...LIST_OF_ORGANIZATIONS, deduplicationKey(PLATFORM, '*', '').PK],
];

/** Whose app codes are: put once with the credentials, and looked at before numbers are allocated for an app code that is taken. */
const APP_CODES: Allowed = [['GetItem', 'PutItem'], [ANY_APP]];

/** A condition on a platform caller's credentials, in a transaction of the organization that it acts in, and no more. */
const PLATFORM_CALLERS: Allowed = [['ConditionCheckItem'], [CREDENTIALS_OF_PLATFORM]];

interface Reach {
  readonly allowed: readonly Allowed[];
  /** What it does with the credentials of the tenant's integrations. Everything else is denied. */
  readonly credentials?: readonly ItemAction[];
  /** Whether it puts items beside audit events: events, or what closes the gaps of their list. Else that is denied. */
  readonly putsAuditEvents?: true;
}

/** What functions of each kind do. */
const REACH: Readonly<Record<TenantRights, Reach>> = {
  audit: { allowed: [AUDIT], putsAuditEvents: true },
  'records-without-secrets': { allowed: [OWN, SUSPENSION_CHECK], putsAuditEvents: true },
  records: { allowed: [OWN_WITH_CASCADES, SUSPENSION_CHECK] },
  'audited-records': { allowed: [OWN_WITH_CASCADES, SUSPENSION_CHECK], putsAuditEvents: true },
  grants: {
    allowed: [OWN_WITH_CASCADES, SUSPENSION_CHECK, PLATFORM_CALLERS],
    credentials: ['ConditionCheckItem'],
    putsAuditEvents: true,
  },
  organizations: { allowed: [OWN, SUSPENSION_CHECK, PLACE_IN_LIST], putsAuditEvents: true },
  integrations: {
    allowed: [OWN, SUSPENSION_CHECK, PLACE_IN_LIST, APP_CODES, PLATFORM_CALLERS],
    credentials: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    putsAuditEvents: true,
  },
};

/** Conditions of a trust policy: a session has one tag, which names a tenant. */
export const TAGGED_WITH_TENANT: Conditions = {
  StringLike: { [`aws:RequestTag/${TENANT_TAG}`]: [ORGANIZATION_ID, 'PLATFORM'] },
  'ForAllValues:StringEquals': { 'aws:TagKeys': [TENANT_TAG] },
};

interface TenantRoleProps {
  readonly table: TableReference;
  /** Which functions work under this role. */
  readonly kind: TenantRights;
  /** Whether it opens the tenant's secrets. */
  readonly secrets: boolean;
}

/**
 * The role under which functions work on the table, opened anew for each tenant with its id as a session tag. Its policy matches the tag
 * against the partition key of every item, so that a function with a bug still cannot leave its tenant (`docs/decisions/0050`), nor plant
 * credentials, nor change or delete what its audit log says.
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
    const { allowed, credentials = [], putsAuditEvents } = REACH[kind];
    for (const each of allowed) this.role.addToPolicy(allowItems(table, ...each));
    this.role.addToPolicy(denyAllBut(table, credentials, [CREDENTIALS_PARTITION]));
    this.role.addToPolicy(denyItems(table, putsAuditEvents ? CHANGES : [...CHANGES, 'PutItem'], [AUDIT_EVENTS]));
  }

  /** The functions' roles by their path, for a list of them would outgrow the 2 KB of a trust policy; and one tag, which names the tenant. */
  #conditions(kind: TenantRights): Conditions {
    return { ArnLike: { 'aws:PrincipalArn': functionsWith(this, kind) }, ...TAGGED_WITH_TENANT };
  }
}
