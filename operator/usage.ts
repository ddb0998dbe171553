import { InvalidArgumentError } from 'commander';
import { organizations } from './as-operator.ts';
import { type LogGroup, logGroupsOf, type Pause, type Row, runQuery } from './logs.ts';

/** Usage of the organizations of a stage in a month, summed from the log lines of their requests. */

export interface Used {
  /** Null: the platform's own requests, without an organization. */
  readonly org_id: string | null;
  /** Null: the platform, or an organization that no longer exists. */
  readonly slug: string | null;
  readonly name: string | null;
  readonly requests: number;
  /** Read and write units of DynamoDB. */
  readonly units: number;
  /** Requests with a status of 500 or more. */
  readonly failed: number;
  /** Requests that a budget refused. */
  readonly refused: number;
}

export interface MonthlyUsage {
  readonly month: string;
  /**
   * False: lines of the month are missing, because the month is not over, logs are kept for a shorter time, or there
   * are too many organizations.
   */
  readonly complete: boolean;
  readonly organizations: readonly Used[];
  readonly bytes_scanned: number;
}

/** A month of UTC. */
export interface Month {
  /** `2026-11` */
  readonly name: string;
  /** In epoch milliseconds: the beginnings of this month and of the next. */
  readonly from: number;
  readonly until: number;
}

/** Parses the option that names a month, such as `2026-11`. */
export function monthIn(text: string): Month {
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined) throw new InvalidArgumentError('It must be a month, such as 2026-11.');
  return { name: text, from: Date.UTC(Number(year), Number(month) - 1), until: Date.UTC(Number(year), Number(month)) };
}

/** Most rows that Insights returns. */
const MOST = 10_000;

/** Leaves out the authorizer's lines: a function serves the same request. */
export const USAGE_QUERY = `filter message = "request" and domain != "authorizer"
| stats count(*) as requests, sum(units) as used, sum(strcontains(outcome, "5xx")) as failed,
  sum(BudgetRefusals) as refused by tenant
| sort requests desc
| limit ${MOST}`;

/** The usage of all organizations, including those without requests; most requests first. */
export async function usageOf(stack: string, month: Month, now: number, pause?: Pause): Promise<MonthlyUsage> {
  const groups = await logGroupsOf(stack, 'functions');
  const query = { groups: groups.map(({ name }) => name), text: USAGE_QUERY, from: month.from, until: month.until - 1 };
  const [{ rows, bytesScanned }, names] = await Promise.all([runQuery(query, pause), namesById()]);
  const used = rows.filter(({ tenant }) => tenant !== undefined).map((row) => usedBy(row, names));
  const idle = [...names].filter(([id]) => used.every(({ org_id }) => org_id !== id));
  return {
    month: month.name,
    complete: month.until <= now && rows.length < MOST && areKept(groups, month, now),
    organizations: [...used, ...idle.map(([org_id, of]) => ({ org_id, ...of, ...NOTHING }))],
    bytes_scanned: bytesScanned,
  };
}

type Names = ReadonlyMap<string, Pick<Used, 'slug' | 'name'>>;
const NOTHING = { requests: 0, units: 0, failed: 0, refused: 0 };

async function namesById(): Promise<Names> {
  const names = new Map<string, Pick<Used, 'slug' | 'name'>>();
  for await (const { id, slug, name } of organizations()) names.set(id, { slug, name });
  return names;
}

function usedBy({ tenant = '', requests, used, failed, refused }: Row, names: Names): Used {
  const { slug = null, name = null } = names.get(tenant) ?? {};
  return {
    org_id: tenant === 'PLATFORM' ? null : tenant,
    slug,
    name,
    requests: countIn(requests),
    units: countIn(used),
    failed: countIn(failed),
    refused: countIn(refused),
  };
}

/** Insights returns NaN for the sum of a field that no line has. */
const countIn = (text = '0'): number => Number(text) || 0;

const DAY_MS = 86_400_000;
/** Whether the first lines of a month still exist. */
const areKept = (groups: readonly LogGroup[], { from }: Month, now: number): boolean =>
  groups.every(({ retentionDays = Number.POSITIVE_INFINITY }) => now - from < retentionDays * DAY_MS);
