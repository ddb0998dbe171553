import { storedSets } from '@custodia/counted-lists';
import { Stack } from 'aws-cdk-lib';
import { AccountPrincipal, type Conditions, type Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { auditEventEntity, journalEntity, PLATFORM, type TenantId, tenantPartition } from '#table';
import { suspensionKey } from '#tenancy';
import type { TenantRights } from '../rights.ts';
import type { TableReference } from '../table.ts';
import {
  ALL_ACTIONS,
  ANY_APP,
  ANY_SIGN_IN_NAME,
  allBut,
  allowItems,
  CHANGES,
  CREDENTIALS_OF_PLATFORM,
  credentialsPartition,
  denyItems,
  HELD_REGISTER,
  type ItemAction,
  type OnItems,
  ORGANIZATION_ID,
  REGISTER,
  userAccessPartition,
} from './item-policy.ts';
import { functionsWith, type KeyPurpose, RoleWithRights, rolePath } from './role.ts';

/** The session tag that names the session's tenant: an organization's id, or `PLATFORM`. */
const TENANT_TAG = 'tenant';

/** The tenant that the session was opened for. */
export const TENANT = `\${aws:PrincipalTag/${TENANT_TAG}}` as TenantId;
export const OF_TENANT = tenantPartition(TENANT, '*');

/** The partitions of the tenant's audit events and of the sets of their lists. */
export const AUDIT_EVENTS = tenantPartition(TENANT, auditEventEntity.name);
export const SETS_OF_AUDIT_EVENTS = storedSets.partitionOf(`${AUDIT_EVENTS}*`);

/** The partitions of the events in the tenant's journal, and of its counter item and gaps. */
export const JOURNAL = tenantPartition(TENANT, journalEntity.name);
export const SETS_OF_JOURNAL = storedSets.partitionOf(JOURNAL);

/** The partition of the credentials of the tenant's integrations. */
export const CREDENTIALS_PARTITION = credentialsPartition(TENANT);
/** The partition of what the tenant's users may do. */
export const USER_ACCESS = userAccessPartition(TENANT);
/** The partition of the keys with which the tenant's identity providers sign. */
export const PROVIDER_KEYS = tenantPartition(TENANT, 'PROVIDER_KEYS');
const ofTenant = (partition: string): string => tenantPartition(TENANT, partition);
/** Who signs in as whom, and through what: only roles that write what users may do write it. */
const WHO_SIGNS_IN: readonly string[] = ['IDENTITY', 'IDENTITY_PROVIDER', 'UNIQUE#IDENTITY*'].map(ofTenant);
const REFUSALS = tenantPartition(TENANT, 'REFUSALS');

const ORGANIZATIONS = tenantPartition(PLATFORM, 'ORG');
/** An organization also has a copy in the platform's list of all. */
export const LIST_OF_ORGANIZATIONS: readonly string[] = [ORGANIZATIONS, storedSets.partitionOf(ORGANIZATIONS)];

/** The tenant's own keys. Batches delete the child items of a deleted record. */
const OWN: OnItems = [allBut('BatchWriteItem'), [OF_TENANT]];
/**
 * Entries that are written before their records, and deleted where these are not written
 * (`lists/entries-in-advance.ts`).
 */
const IN_ADVANCE: OnItems = [['BatchWriteItem'], [`${OF_TENANT}#WORDS#?`, `${OF_TENANT}#ORDER`]];
const OWN_WITH_CASCADES: OnItems = [ALL_ACTIONS, [OF_TENANT]];

/** It only reads whether the organization is suspended: only the operator suspends and resumes. */
export const SUSPENSION = suspensionKey(TENANT).PK;
const SUSPENSION_CHECK: OnItems = [['GetItem'], [SUSPENSION]];

const AUDIT: OnItems = [
  ['PutItem', 'UpdateItem'],
  [AUDIT_EVENTS, SETS_OF_AUDIT_EVENTS, REFUSALS],
];

const OF_SIGN_IN: readonly string[] = [
  ...['IDENTITY_PROVIDER', 'IDENTITY', 'IDENTITY#*', 'USER', 'USER_ACCESS', 'ONCE#TOKEN'].map(ofTenant),
];
/** Who signs in, and what is noted of that. A provider counts its identities. */
const SIGNED_IN: readonly OnItems[] = [
  [
    ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'],
    [...OF_SIGN_IN, ofTenant('UNIQUE#*')],
  ],
  [
    ['PutItem', 'UpdateItem'],
    [...OF_SIGN_IN, ofTenant('UNIQUE#IDENTITY#*')],
  ],
  [['GetItem', 'UpdateItem'], [PROVIDER_KEYS]],
];

/**
 * It adds an organization to the list of all, which it does not read. The platform's caller may have sent an
 * idempotency key.
 */
const PLACE_IN_LIST: OnItems = [
  ['PutItem', 'UpdateItem'],
  [...LIST_OF_ORGANIZATIONS, tenantPartition(PLATFORM, 'ONCE', '*')],
];

/**
 * The tenants of app codes: put once with the credentials, and read before numbers are allocated, in case the app code
 * is taken.
 */
const APP_CODES: OnItems = [['GetItem', 'PutItem'], [ANY_APP]];

/** Put and deleted on condition that they are of no other organization, which IAM does not see. */
const SIGN_IN_NAMES: OnItems = [['GetItem', 'PutItem', 'DeleteItem'], [ANY_SIGN_IN_NAME]];

/** Only a condition on a platform caller's credentials, in a transaction of the organization that it acts in. */
const PLATFORM_CALLERS: OnItems = [['ConditionCheckItem'], [CREDENTIALS_OF_PLATFORM]];

/**
 * A session of a tenant only adds to the register of all: an entry that names another tenant's endpoint does nothing.
 */
const REGISTRATION: OnItems = [['PutItem'], [REGISTER]];
/** The same of the register of alerts that are held. */
const HOLDING: OnItems = [['PutItem'], [HELD_REGISTER]];

const ENDPOINTS = tenantPartition(TENANT, 'WEBHOOK_ENDPOINT');
const ATTEMPTS = tenantPartition(TENANT, 'WEBHOOK_ENDPOINT', '*', 'ATTEMPT');

/** What a delivery reads: events, and the records, endpoints and integrations that they are about. */
const DELIVERED: OnItems = [['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'], [OF_TENANT]];

/**
 * What a delivery changes: how far it is, endpoints with their attempts, and numbers of the journal that it closes. It
 * adds the events of its own changes, and charges the budget.
 */
const DELIVERY: readonly OnItems[] = [
  [
    ['PutItem', 'UpdateItem'],
    [ENDPOINTS, ATTEMPTS, tenantPartition(TENANT, 'DELIVERY')],
  ],
  [['PutItem'], [JOURNAL, AUDIT_EVENTS]],
  [['UpdateItem'], [tenantPartition(TENANT, 'BUDGET')]],
  [['UpdateItem'], [storedSets.partitionOf(`${ENDPOINTS}*`), SETS_OF_JOURNAL, SETS_OF_AUDIT_EVENTS]],
];

interface Reach {
  readonly allowed: readonly OnItems[];
  /** Its actions on the credentials of the tenant's integrations. Everything else is denied. */
  readonly credentials?: readonly ItemAction[];
  /** Its actions on what the tenant's users may do. Everything else is denied. */
  readonly userAccess?: readonly ItemAction[];
  /** Its actions on the keys of identity providers. Everything else is denied: they say whose tokens are good. */
  readonly providerKeys?: readonly ItemAction[];
  /** Whether it puts items into the audit log: events, or tombstones of gaps. Otherwise that is denied. */
  readonly putsAuditEvents?: true;
}

/** They change what users may do, in the transactions of what it follows from. */
const OF_USER_ACCESS: readonly ItemAction[] = ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];

/** What a user that calls may do now, and whether that is so at the commit. */
const OF_CALLER: readonly ItemAction[] = ['GetItem', 'ConditionCheckItem'];

/** Their transactions depend on who calls. */
const LIVE_CALLERS: Reach = {
  allowed: [OWN_WITH_CASCADES, SUSPENSION_CHECK, PLATFORM_CALLERS],
  credentials: ['ConditionCheckItem'],
  userAccess: OF_CALLER,
  putsAuditEvents: true,
};

/** The rights of functions of each kind. */
const REACH: Readonly<Record<TenantRights, Reach>> = {
  'sign-in': {
    allowed: [AUDIT, SUSPENSION_CHECK, ...SIGNED_IN],
    // An identity that is linked counts as a change. It signs for all users, so this gives it nothing more.
    userAccess: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    providerKeys: ['GetItem', 'UpdateItem'],
    putsAuditEvents: true,
  },
  'records-without-secrets': { allowed: [OWN, IN_ADVANCE, SUSPENSION_CHECK], putsAuditEvents: true },
  alerts: { allowed: [OWN, IN_ADVANCE, SUSPENSION_CHECK, HOLDING], putsAuditEvents: true },
  records: { allowed: [OWN_WITH_CASCADES, SUSPENSION_CHECK] },
  'audited-records': { allowed: [OWN_WITH_CASCADES, SUSPENSION_CHECK], putsAuditEvents: true },
  attachments: { allowed: [OWN_WITH_CASCADES, SUSPENSION_CHECK] },
  'live-callers': LIVE_CALLERS,
  grants: { ...LIVE_CALLERS, userAccess: OF_USER_ACCESS },
  batches: { ...LIVE_CALLERS, credentials: ['GetItem', 'ConditionCheckItem'], userAccess: OF_USER_ACCESS },
  organizations: {
    ...{ ...LIVE_CALLERS, userAccess: OF_USER_ACCESS },
    allowed: [OWN, SUSPENSION_CHECK, PLACE_IN_LIST, SIGN_IN_NAMES, PLATFORM_CALLERS],
  },
  integrations: {
    ...{ ...LIVE_CALLERS, credentials: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
    allowed: [OWN, SUSPENSION_CHECK, PLACE_IN_LIST, APP_CODES, PLATFORM_CALLERS],
  },
  endpoints: {
    ...{ ...LIVE_CALLERS, credentials: ['GetItem', 'ConditionCheckItem'] },
    allowed: [...LIVE_CALLERS.allowed, REGISTRATION],
  },
  deliveries: { allowed: [DELIVERED, SUSPENSION_CHECK, ...DELIVERY], credentials: ['GetItem'], putsAuditEvents: true },
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
  /** Which of the tenant's secrets it decrypts. */
  readonly key: KeyPurpose;
}

/**
 * The role under which functions work on the table, in one session for each tenant, with the tenant's id as a session
 * tag. Its policy matches the tag against the partition key of every item. So a function with a bug cannot leave its
 * tenant (`docs/decisions/0050`), plant credentials, change what users may do, or change or delete events, audited or
 * journaled. A session lasts at most an hour, because of role chaining
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles.html#iam-term-role-chaining).
 */
export class TenantRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, { table, kind, key }: TenantRoleProps) {
    super(scope, id);
    const { account } = Stack.of(this);
    this.role = new RoleWithRights(this, 'Role', {
      description: 'Works on the records of the tenant that its session is tagged with',
      path: rolePath(this, key, 'tenant'),
      assumedBy: new AccountPrincipal(account).withConditions(this.#conditions(kind)).withSessionTags(),
    });
    const { allowed, credentials = [], userAccess = [], providerKeys = [], putsAuditEvents } = REACH[kind];
    for (const each of allowed) this.role.addToPolicy(allowItems(table, ...each));
    this.role.addToPolicy(denyItems(table, allBut(...credentials), [CREDENTIALS_PARTITION]));
    this.role.addToPolicy(denyItems(table, allBut(...userAccess), [USER_ACCESS]));
    this.role.addToPolicy(denyItems(table, allBut(...providerKeys), [PROVIDER_KEYS]));
    if (!userAccess.includes('PutItem')) this.role.addToPolicy(denyItems(table, ['PutItem', ...CHANGES], WHO_SIGNS_IN));
    this.role.addToPolicy(denyItems(table, CHANGES, [AUDIT_EVENTS, JOURNAL]));
    if (!putsAuditEvents) this.role.addToPolicy(denyItems(table, ['PutItem'], [AUDIT_EVENTS]));
  }

  /**
   * Trusts the functions' roles by their path, because a list would exceed the 2 KB of a trust policy, with one tag,
   * which names the tenant.
   */
  #conditions(kind: TenantRights): Conditions {
    return { ArnLike: { 'aws:PrincipalArn': functionsWith(this, kind) }, ...TAGGED_WITH_TENANT };
  }
}
