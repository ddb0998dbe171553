import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, ids, type Key, type OnConditionFailed, schema } from '@custodia/counted-lists';
import type { JsonObject } from '#contract/field';
import { entity, PLATFORM, Repository, StaleRead, type Stored, type Tenant, tenantPartition } from '#table';
import { toAttributes, toRecord } from '#table/storage';

/**
 * Organizations: each is the only record of its kind in its own tenant, under its own id, with a copy in the platform's
 * list of all organizations. The id is random and not derived from the number in that list, because it must not reveal
 * the number of tenants.
 */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly settings: JsonObject;
  /** Whether its users may do anything (`SignIn`). Older items lack it: they may not. */
  readonly membership_access: boolean;
  readonly created_at: string;
}

const json = ['settings'] as const;

/** For reading an organization through its own tenant's handle. */
export const organizationEntity = entity<Organization>('ORG', {
  json,
  single: true,
  audited: 'Organization',
  journaled: {},
});

/** The copies in the platform's list. */
export const listedEntity = entity<Organization>('ORG', { json });
const ALL = tenantPartition(PLATFORM, 'ORG');

/** Attribute of an organization: its number in the platform's list. */
const LISTED_AS = 'LISTED_AS';

/**
 * The platform's list, accessed with the rights of a tenant in it: the role of the function that writes organizations
 * allows that.
 */
const listing = (tenant: Tenant) => new Repository(tenant.session, tenant.id, listedEntity, { partition: ALL });

/** Stages the organization of a new tenant. `onConditionFailed` returns the error when the id is taken. */
export async function stageOrganization(
  tenant: Tenant,
  fields: Pick<Organization, 'name' | 'slug' | 'settings'>,
  onConditionFailed: OnConditionFailed,
): Promise<Stored<Organization>> {
  const made = { id: tenant.id, membership_access: false, created_at: tenant.session.timestamp };
  const record: Organization = { ...fields, ...made };
  const listed = listing(tenant).create<never>({ fields: record });
  const internal = listed.then(({ item }) => ({ [LISTED_AS]: ids.numberIn(String(item.SK)) }));
  return tenant.records(organizationEntity).createSingle(record, onConditionFailed, internal);
}

/** Stages a change of an organization as read, and of its copy in the platform's list. */
export async function stageOrganizationChange(
  tenant: Tenant,
  stored: Stored<Organization>,
  changes: Partial<Organization>,
): Promise<Stored<Organization>> {
  tenant.session.changes.of(tenant.id).update(copyKeyOf(stored.item), { set: toAttributes(listedEntity, changes) });
  return tenant.records(organizationEntity).update(stored, changes);
}

/** Stages the removal of an organization as read, and of its copy from the platform's list. Its other records stay. */
export async function stageOrganizationRemoval(tenant: Tenant, { item, version }: Stored<Organization>): Promise<void> {
  const table = tenant.session.tables.of(tenant.id);
  const { Item: copy } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...copyKeyOf(item) }, ConsistentRead: true }),
  );
  tenant.session.changes
    .of(tenant.id)
    .delete(
      schema.keyIn(item),
      { equals: { [schema.VERSION]: version } },
      () => new StaleRead('the organization has changed'),
    );
  // `verify` handles a missing or wrong copy.
  if (copy?.id !== tenant.id) return;
  listing(tenant).erase({ record: toRecord(listedEntity, copy), version: Number(copy[schema.VERSION]), item: copy });
}

/** The number and the key of an organization's copy in the platform's list; undefined where the item names none. */
export function placeInList(item: Item): { readonly number: number; readonly key: Key } | undefined {
  if (item[LISTED_AS] === undefined) return undefined;
  const number = Number(item[LISTED_AS]);
  return { number, key: { PK: ALL, SK: ids.sortKeyOf(number) } };
}

const copyKeyOf = (item: Item): Key => ({ PK: ALL, SK: ids.sortKeyOf(Number(item[LISTED_AS])) });

/**
 * The list of all organizations, for reading. Only for the platform's handle.
 * @throws TypeError for the handle of an organization
 */
export function organizationList(platform: Tenant): Pick<Repository<Organization>, 'page' | 'all'> {
  if (platform.orgId !== null) throw new TypeError('only the platform lists organizations');
  return listing(platform);
}
