import type { JsonObject } from '../contract/fields.ts';
import { entity, toAttributes, toRecord } from './entity.ts';
import { PLATFORM, recordsPartition, type TenantId } from './keys.ts';
import { LISTED_AT, readPage } from './lists/page.ts';
import type { Page, PageQuery, Stored } from './records.ts';
import { listIndex } from './schema.ts';
import type { Item, Refusal } from './staged.ts';
import type { Tenant } from './tenant.ts';

/**
 * Organizations: each is the one record of its kind in its own tenant, under its own id, and stands in the platform's list of all.
 * The id is random and not made from its number in that list: a tenant must not learn from it how many others there are.
 */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly settings: JsonObject;
  readonly created_at: string;
}

/** For reading and changing an organization through its own tenant's handle. */
export const organizationEntity = entity<Organization>('ORG', { json: ['settings'] });

/** The platform's list of all organizations, on the first list index. */
const ALL = recordsPartition(PLATFORM, 'ORG');
const index = listIndex(1);

/**
 * Stages the organization of a new tenant. `refuse` gives the error when there is one with this id. The tenant itself takes its number in the
 * platform's list of all, which the role under which organizations are made allows.
 */
export async function stageOrganization(
  tenant: Tenant,
  fields: Pick<Organization, 'name' | 'slug' | 'settings'>,
  refuse: Refusal,
): Promise<Stored<Organization>> {
  const { id, session } = tenant;
  const record: Organization = { ...fields, id, created_at: session.timestamp };
  const { number } = await session.takeNumber(id, ALL);
  const item = {
    PK: recordsPartition(id, organizationEntity.name),
    SK: id,
    ...toAttributes(organizationEntity, record),
    [index.partition]: ALL,
    [index.sort]: number,
    [LISTED_AT]: session.now,
    VERSION: 1,
  };
  session.workOf(id).put(item, refuse);
  return { record, version: 1, item };
}

/**
 * One page of all organizations, for the platform's own handle only.
 * @throws TypeError for the handle of an organization
 */
export async function pageOfOrganizations(platform: Tenant, query: PageQuery): Promise<Page<Organization>> {
  if (platform.orgId !== null) throw new TypeError('only the platform lists organizations');
  const { session } = platform;
  const source = {
    list: ALL,
    index,
    bounds: (first: number, last: number) => [first, last] as const,
    numberOf: (item: Item) => Number(item[index.sort]),
    // A record and its mark are compared in one transaction, and the record is in its own tenant.
    tableOf: (item: Item) => session.tableOf(String(item.SK) as TenantId),
  };
  const request = {
    page: query.page,
    pageSize: query.page_size,
    newestFirst: query.sort === '-created_at',
    now: session.now,
  };
  const { items, total } = await readPage(session.tableOf(platform.id), source, request);
  const records = items.map((item) => ({
    record: toRecord(organizationEntity, item),
    version: Number(item.VERSION),
    item,
  }));
  return { records, total };
}
