import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, readCursorPage } from '@custodia/counted-lists';
import type { Tenant } from '#table';
import { tenantKey, tenantPartition } from '#table';
import { dayOf } from '../../clock.ts';
import { BUDGET_OF, USERS } from '../keys.ts';

/**
 * Requests of an integration by day of UTC, in the item of its bucket (`request-budget.ts`): an attribute `D<day of the
 * epoch>` for each day with requests. An item has at most {@link MOST_DAYS}, so that it stays below 1 KB and a write of
 * it is one unit.
 */

/** Numbers of requests, by day of the epoch. */
export type RequestCounts = ReadonlyMap<number, number>;

/** What a container adds to an item. */
export interface Counted {
  readonly requests: RequestCounts;
  /** Attributes to remove: days that the item has beyond {@link MOST_DAYS}. */
  readonly surplus: readonly string[];
}

export const NOTHING_COUNTED: Counted = { requests: new Map(), surplus: [] };

/** How many days of requests are reported: today and those before. */
export const TOLD_DAYS = 62;

/**
 * Most days in an item. The oldest go first by their number, not by the clock of the container that writes: one that is
 * months ahead makes days that are not reported, and pushes out no day before its third.
 */
const MOST_DAYS = TOLD_DAYS + 2;

/** How long an item is kept after its last change, in seconds. */
export const KEPT_SECONDS = (TOLD_DAYS + 1) * 86_400;

/** A part of an `UpdateItem`. */
interface Update {
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, number>>;
}

const attributeOf = (day: number): string => `D${day}`;

export function updateOf({ requests, surplus }: Counted): Update {
  const days = Array.from(requests, ([day, number], index) => ({
    name: `#day${index}`,
    day,
    value: `:day${index}`,
    number,
  }));
  // No update both adds to an attribute and removes it: the clock of this container may be months behind.
  const added = new Set(days.map(({ day }) => attributeOf(day)));
  const old = surplus
    .filter((attribute) => !added.has(attribute))
    .map((attribute, index) => ({ name: `#old${index}`, attribute }));
  return {
    expression: [
      ...(days.length === 0 ? [] : [`ADD ${days.map(({ name, value }) => `${name} ${value}`).join(', ')}`]),
      ...(old.length === 0 ? [] : [`REMOVE ${old.map(({ name }) => name).join(', ')}`]),
    ].join(' '),
    names: Object.fromEntries([
      ...days.map(({ name, day }) => [name, attributeOf(day)]),
      ...old.map(({ name, attribute }) => [name, attribute]),
    ]),
    values: Object.fromEntries(days.map(({ value, number }) => [value, number])),
  };
}

const DAY = /^D(\d+)$/;

/** The days of an item, the oldest first. */
export const countsIn = (item: Item): [day: number, requests: number][] =>
  Object.entries(item)
    .flatMap(([attribute, value]): [number, number][] => {
      const day = DAY.exec(attribute)?.[1];
      return day === undefined ? [] : [[Number(day), Number(value)]];
    })
    .toSorted(([one], [other]) => one - other);

/** The attributes of an item that are too many. */
export const surplusIn = (item: Item): string[] =>
  countsIn(item)
    .slice(0, -MOST_DAYS)
    .map(([day]) => attributeOf(day));

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
 * The requests of a tenant's integrations in the days that are reported, by the tenant's own key alone, in the order of
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
    .filter(({ SK }) => !OTHERS.includes(String(SK)) && !String(SK).startsWith(USERS))
    .map((item) => ({ integrationId: String(item.SK), days: daysOf(item) }));
  return {
    integrations,
    deliveries: ofDeliveries.items.flatMap(daysOf),
    // After the first user there are no more integrations.
    next: more && !String(items.at(-1)?.SK).startsWith(USERS) ? integrations.at(-1)?.integrationId : undefined,
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
    { partition: tenantPartition(id, 'BUDGET'), newestFirst: false },
    { after, limit, now: session.now, timeLimit: session },
  );

async function readOne({ id, session }: Tenant, integrationId: string): Promise<Read> {
  const table = session.tables.of(id);
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...tenantKey(id, 'BUDGET', integrationId) }, ConsistentRead: true }),
  );
  return { items: item === undefined ? [] : [item], more: false };
}
