import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, readCursorPage } from '@custodia/counted-lists';
import type { Tenant } from '#table';
import { dayOf } from '../clock.ts';
import { BUDGET_OF, budgetKey } from './keys.ts';
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
  /** What deliveries were charged, in requests; parts of one too. */
  readonly deliveries: CountedIntegration['days'];
  /** The id after which there are more. */
  readonly next: string | undefined;
}

/**
 * The requests of a tenant's integrations in the days that are told, by the tenant's own key alone, in the order of
 * their ids, and beside them what deliveries were charged. Two reads in parallel.
 */
export async function readRequestCounts(tenant: Tenant, query: CountsQuery): Promise<CountsPage> {
  const [{ items, more }, ofDeliveries] = await Promise.all([
    query.integrationId === undefined ? readMany(tenant, query) : readOne(tenant, query.integrationId),
    readOne(tenant, BUDGET_OF.deliveries),
  ]);
  const today = dayOf(tenant.session.now);
  const daysOf = (item: Item): CountedIntegration['days'] =>
    countsIn(item)
      .filter(([day]) => day <= today && day > today - TOLD_DAYS)
      .map(([day, requests]) => ({ day, requests }));
  const integrations = items
    .filter(({ SK }) => !OTHERS.includes(String(SK)))
    .map((item) => ({ integrationId: String(item.SK), days: daysOf(item) }));
  return {
    integrations,
    deliveries: ofDeliveries.items.flatMap(daysOf),
    next: more ? integrations.at(-1)?.integrationId : undefined,
  };
}

/** Items that are of no integration. */
const OTHERS: readonly string[] = Object.values(BUDGET_OF);

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
