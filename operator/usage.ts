import { InvalidArgumentError } from 'commander';
import { quoted } from '../local/terminal/printable.ts';
import { organizations } from './as-operator.ts';
import { type LogGroup, logGroupsOf, MOST, type Row, runQuery } from './logs.ts';

/** What the organizations of a stage have used in a month, added up from the log lines of their requests. */

interface Used {
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
  /** False where lines are missing: the month is not over, logs are kept for less, or there are too many rows. */
  readonly complete: boolean;
  readonly organizations: readonly Used[];
}

/** A month of UTC, such as `2026-11`: its beginning and that of the next, in epoch milliseconds. */
export interface Month {
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

/** @throws InvalidArgumentError of commander */
export function monthIn(name: string): Month {
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(name) ?? [];
  if (month === undefined) throw new InvalidArgumentError('It must be a month, such as 2026-11.');
  return { name, from: Date.UTC(Number(year), Number(month) - 1), until: Date.UTC(Number(year), Number(month)) };
}

/** Leaves out the authorizer's lines: a function serves the same request. */
export const USAGE_QUERY = `filter message = "request" and domain != "authorizer"
| stats count(*) as requests, sum(units) as used, sum(strcontains(outcome, "5xx")) as failed,
  sum(BudgetRefusals) as refused by tenant
| sort requests desc
| limit ${MOST}`;

/** The usage of all organizations, also of those without requests; most requests first. */
export async function usageOf(stack: string, month: Month, now: number): Promise<MonthlyUsage> {
  const groups = await logGroupsOf(stack, 'functions');
  const span = { from: month.from, until: month.until - 1 };
  const rows = await runQuery({ groups: groups.map(({ name }) => name), text: USAGE_QUERY, ...span });
  const byTenant = new Map(rows.map((row) => [row.tenant, row]));
  const used: Used[] = [];
  for await (const { id, slug, name } of organizations()) {
    used.push({ org_id: id, slug, name, ...countsIn(byTenant.get(id)) });
    byTenant.delete(id);
  }
  for (const [tenant = 'PLATFORM', row] of byTenant)
    used.push({ org_id: tenant === 'PLATFORM' ? null : tenant, slug: null, name: null, ...countsIn(row) });
  return {
    month: month.name,
    complete: month.until <= now && rows.length < MOST && areKept(groups, month, now),
    organizations: used.toSorted((one, other) => other.requests - one.requests),
  };
}

/** Insights returns NaN for the sum of a field that no line has. */
const countsIn = ({ requests, used, failed, refused }: Row = {}) => ({
  requests: Number(requests) || 0,
  units: Number(used) || 0,
  failed: Number(failed) || 0,
  refused: Number(refused) || 0,
});

const DAY_MS = 86_400_000;

const areKept = (groups: readonly LogGroup[], { from }: Month, now: number): boolean =>
  groups.every(({ retentionDays = Number.POSITIVE_INFINITY }) => now - from < retentionDays * DAY_MS);

const COLUMNS = ['org_id', 'slug', 'name', 'requests', 'units', 'failed', 'refused'] as const satisfies (keyof Used)[];

/** Lines of CSV (RFC 4180). */
export const csvOf = ({ month, organizations }: MonthlyUsage): string[] => [
  ['month', ...COLUMNS].join(),
  ...organizations.map((used) => [month, ...COLUMNS.map((column) => cellOf(used[column]))].join()),
];

/** A text that a spreadsheet would run gets an apostrophe: https://owasp.org/www-community/attacks/CSV_Injection */
function cellOf(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const usageLines = ({ month, complete, organizations }: MonthlyUsage): string[] => [
  row(['requests', 'units', 'failed', 'refused', 'organization']),
  ...organizations.map(({ org_id, slug, name, requests, units, failed, refused }) =>
    row([
      ...[requests, units.toFixed(1), failed, refused].map(String),
      [org_id ?? 'platform', ...(slug === null || name === null ? [] : [slug, quoted(name)])].join('  '),
    ]),
  ),
  ...(complete ? [] : [`Not all of ${month}: it is not over, or its first lines are kept no more.`]),
];

const WIDTHS = [12, 12, 9, 9] as const;
const row = (cells: readonly string[]): string =>
  cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 0)).join('  ');
