import type { JsonObject } from '../contract/fields.ts';
import type { Page, PageQuery, Stored } from './collection.ts';
import { entity, toAttributes, toRecord } from './entity.ts';
import { PLATFORM, recordsPartition, type TenantId } from './keys.ts';
import { LISTED_AT, readPage } from './lists/page.ts';
import { listIndex } from './schema.ts';
import type { Session } from './session.ts';
import type { Refusal } from './staged.ts';
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

/** Stages a new organization. `refuse` gives the error when there is one with this id. */
export async function stageOrganization(
  session: Session,
  fields: Omit<Organization, 'created_at'>,
  refuse: Refusal,
): Promise<Stored<Organization>> {
  const record: Organization = { ...fields, created_at: session.timestamp };
  const { number } = await session.takeNumber(ALL);
  const item = {
    PK: recordsPartition(record.id as TenantId, organizationEntity.name),
    SK: record.id,
    ...toAttributes(organizationEntity, record),
    [index.partition]: ALL,
    [index.sort]: number,
    [LISTED_AT]: session.now,
    VERSION: 1,
  };
  session.work.put(item, refuse);
  return { record, version: 1, item };
}

/**
 * One page of all organizations, for the platform's own handle only.
 * @throws TypeError for the handle of an organization
 */
export async function pageOfOrganizations(platform: Tenant, query: PageQuery): Promise<Page<Organization>> {
  if (platform.orgId !== null) throw new TypeError('only the platform lists organizations');
  const { table, now } = platform.session;
  const source = {
    list: ALL,
    index,
    bounds: (first: number, last: number) => [first, last] as const,
    numberOf: (item: Readonly<Record<string, unknown>>) => Number(item[index.sort]),
  };
  const request = { page: query.page, pageSize: query.page_size, newestFirst: query.sort === '-created_at', now };
  const { items, total } = await readPage(table, source, request);
  const records = items.map((item) => ({
    record: toRecord(organizationEntity, item),
    version: Number(item.VERSION),
    item,
  }));
  return { records, total };
}
