import { storedSets } from '@custodia/counted-lists';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { journalEntity, PLATFORM, type TenantId, tenantPartition } from '#table';
import { accessItems, appKey, loginFailureKey, suspensionKey } from '#tenancy';
import { heldKey } from '../../functions/alerts/state/held.ts';
import { registerKey } from '../../functions/events/state/register.ts';
import type { TableReference } from '../table.ts';

/** A table, or all tables of a pattern. */
type Named = Pick<TableReference, 'tableArn'>;

/**
 * The storage code's actions on items. A transaction has no action of its own: each of its writes needs the right for
 * its action.
 */
const ACTIONS = [
  ...(['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'] as const),
  ...(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'] as const),
];
export type ItemAction = (typeof ACTIONS)[number];
export const ALL_ACTIONS: readonly ItemAction[] = ACTIONS;

/** All actions but these. */
export const allBut = (...needed: readonly ItemAction[]): readonly ItemAction[] =>
  ALL_ACTIONS.filter((action) => !needed.includes(action));

/** These actions on items of these partition keys. */
export type OnItems = readonly [actions: readonly ItemAction[], keys: readonly string[]];

/** The shape of a UUID. Between two `#`, nothing else matches: neither a pattern nor a longer key. */
export const ORGANIZATION_ID = '????????-????-????-????-????????????';

/** Pattern of the partition keys of app codes. */
export const ANY_APP = appKey('*').PK;

/** The partition of the credentials of a tenant's integrations. */
export const credentialsPartition = (tenant: TenantId): string => tenantPartition(tenant, 'CREDENTIALS');
export const CREDENTIALS_OF_PLATFORM = credentialsPartition(PLATFORM);

/** Patterns of a partition, for all tenants. */
const ofAnyTenant = (partitionOf: (tenant: TenantId) => string): readonly string[] =>
  [ORGANIZATION_ID as TenantId, PLATFORM].map(partitionOf);

export const ANY_CREDENTIALS: readonly string[] = ofAnyTenant(credentialsPartition);

/** The partition of what a tenant's users may do. */
export const userAccessPartition = (tenant: TenantId): string => tenantPartition(tenant, 'USER_ACCESS');
export const ANY_USER_ACCESS: readonly string[] = ofAnyTenant(userAccessPartition);

/** The partition of all active webhook endpoints. */
export const REGISTER = registerKey(PLATFORM, '').PK;

/** The partition of all alerts that are held. */
export const HELD_REGISTER = heldKey().PK;

/** Patterns of the partitions that say how far deliveries and journals are: numbers, and no record. */
export const ANY_BACKLOG: readonly string[] = [
  ...ofAnyTenant((tenant) => tenantPartition(tenant, 'DELIVERY')),
  ...ofAnyTenant((tenant) => storedSets.partitionOf(tenantPartition(tenant, journalEntity.name))),
];

/** Pattern of the partition keys of the slugs by which users sign in. */
export const ANY_SIGN_IN_NAME = accessItems.signInNameKey('*').PK;

/** Pattern of the partition keys of suspensions. */
export const ANY_SUSPENSION = suspensionKey('*' as TenantId).PK;

/** Pattern of the partition keys of counters of failed guesses. */
export const ANY_LOGIN_FAILURE = loginFailureKey('*').PK;

/**
 * Allows these actions on items whose partition keys match. `ForAllValues` is true of a request that names
 * no key at all (Scan), hence the `Null` guard beside it.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export const allowItems = (table: Named, actions: readonly ItemAction[], keys: readonly string[]): PolicyStatement =>
  new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });

/** Denies a role these actions on items of these partition keys, whatever else allows them. */
export const denyItems = (table: Named, actions: readonly ItemAction[], keys: readonly string[]): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.DENY,
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': keys } },
  });

/**
 * Actions that change or delete an item. `PutItem` is not among them: IAM cannot distinguish a new item from an
 * existing one, so the condition of each put does.
 */
export const CHANGES: readonly ItemAction[] = ['UpdateItem', 'DeleteItem', 'BatchWriteItem'];
