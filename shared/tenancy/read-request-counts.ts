import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, readCursorPage } from '#lists';
import type { Tenant } from '#table';
import { dayOf } from '../clock.ts';
import { budgetKey, WHOLE_TENANT } from './keys.ts';
import { countsIn, TOLD_DAYS } from './request-counts.ts';

/** The requests of one integration: of each day that had some, the oldest first. */
interface CountedIntegration {
  readonly integrationId: string;
  readonly days: readonly { readonly day: number; readonly requests: number }[];
}

interface CountsQuery {
  /** Only this integration. */
  readonly integrationId: string | undefined;
  /** Only integrations whose ids come later. */
  readonly after: string | undefined;
  /** Most integrations; 2 at least. */
  readonly limit: number;
}

interface CountsPage {
  readonly integrations: readonly CountedIntegration[];
  /** The id after which there are more. */
  readonly next: string | undefined;
}

/** The requests of a tenant's integrations in the days that are told, by the tenant's own key alone, in the order of their ids. One read. */
export async function readRequestCounts(tenant: Tenant, query: CountsQuery): Promise<CountsPage> {
  const { items, more } = await (query.integrationId === undefined
    ? readMany(tenant, query)
    : readOne(tenant, query.integrationId));
  const today = dayOf(tenant.session.now);
  const integrations = items
    .filter(({ SK }) => SK !== WHOLE_TENANT)
    .map((item) => ({
      integrationId: String(item.SK),
      days: countsIn(item)
        .filter(([day]) => day <= today && day > today - TOLD_DAYS)
        .map(([day, requests]) => ({ day, requests })),
    }));
  return { integrations, next: more ? integrations.at(-1)?.integrationId : undefined };
}

interface Read {
  readonly items: readonly Item[];
  readonly more: boolean;
}

const readMany = ({ id, session }: Tenant, { after, limit }: CountsQuery): Promise<Read> =>
  readCursorPage(
    session.tables.of(id),
    { partition: budgetKey(id, '').PK, newestFirst: false },
    { after, limit, now: session.now, timeLimit: session },
  );

async function readOne({ id, session }: Tenant, integrationId: string): Promise<Read> {
  const table = session.tables.of(id);
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...budgetKey(id, integrationId) }, ConsistentRead: true }),
  );
  return { items: item === undefined ? [] : [item], more: false };
}
