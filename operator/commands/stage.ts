import { Option } from 'commander';
import * as z from 'zod';
import { wholeNumberOption } from '../../local/terminal/command-line.ts';
import { jsonText, quoted } from '../../local/terminal/printable.ts';
import { type Backups, backupsOf } from '../backups.ts';
import { command, type Declare } from '../command.ts';
import { linesOfRequest, type RequestLine } from '../logs.ts';
import { OperatorProblem } from '../problem.ts';
import { openStage, type TargetOptions } from '../target.ts';
import { type Month, type MonthlyUsage, monthIn, type Used, usageOf } from '../usage.ts';

/**
 * What a stage has in logs and backups, under its support role. `organizations usage` reports what one organization has
 * stored.
 */

const role = 'SupportRoleArn';
const HOUR_MS = 3_600_000;
/** Ten years, the longest time that logs are kept. */
const MOST_HOURS = 87_600;

export const stageCommands: readonly Declare[] = [
  command<TargetOptions & { readonly all: true; readonly month: Month; readonly csv?: true }>({
    name: 'usage',
    description:
      'Add up what organizations have used in a month: requests and units of DynamoDB, by the lines of the log',
    role,
    options: (declared) =>
      declared
        .requiredOption('--all', 'all organizations')
        .requiredOption('--month <yyyy-mm>', 'month of UTC', monthIn)
        .addOption(new Option('--csv', 'print a table for spreadsheets (RFC 4180)').conflicts('json')),
    examples: [
      'usage --all --month 2026-11 --outputs outputs.json',
      'usage --all --month 2026-11 --csv --outputs outputs.json > usage.csv',
    ],
    run: async (options) => {
      refuseLocal(options, 'npm start keeps no logs: only a stage knows what was used in a month.');
      const { name } = await openStage(options, role);
      const used = await usageOf(name, options.month, Date.now());
      return { value: used, lines: options.csv ? csvOf(used) : usageLines(used) };
    },
  }),
  command<TargetOptions & { readonly requestId: string; readonly hours: number }>({
    name: 'logs',
    description: 'Find all lines of a request in the logs of the gateway and of all functions, Lambda’s own too',
    role,
    options: (declared) =>
      declared
        .requiredOption('--request-id <id>', 'id of the request: callers have it from X-Request-Id', requestIdIn)
        .option('--hours <number>', 'how far back to look', wholeNumberOption({ to: MOST_HOURS }), 24),
    examples: [
      'logs --request-id 5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90 --outputs outputs.json',
      'logs --request-id 5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90 --hours 720 --json --outputs outputs.json',
    ],
    run: async ({ requestId, hours, ...options }) => {
      refuseLocal(options, 'npm start keeps no logs: its lines are in the terminal that it runs in.');
      const { name } = await openStage(options, role);
      const until = Date.now();
      const lines = await linesOfRequest(name, requestId, { from: until - hours * HOUR_MS, until });
      const summary =
        lines.length === 0
          ? `No line of ${requestId} in the last ${hours} hours: --hours looks further back. New lines take a ` +
            'minute to be found.'
          : `Lines: ${lines.length}.`;
      const value = { request_id: requestId, lines };
      return { value, lines: [...lines.map(requestLine), summary], isNegative: lines.length === 0 };
    },
  }),
  command<TargetOptions>({
    name: 'backup status',
    description:
      'Show what a stage can be restored from, and what is wrong with it: the daily backups with their age, failed ' +
      'jobs, and point-in-time recovery. It exits with 1 where the newest backup is older than 26 hours, or the ' +
      'first is missing 26 hours after the vault was made',
    role,
    examples: ['backup status --outputs outputs.json'],
    run: async (options) => {
      refuseLocal(options, 'npm start makes no backups: copy its data directory while it is stopped.');
      const { table, backupVault } = await openStage(options, role);
      const now = Date.now();
      const backups = await backupsOf(table, backupVault, now);
      return { value: backups, lines: backupLines(backups, now), isNegative: backups.problems.length > 0 };
    },
  }),
];

function refuseLocal({ local }: TargetOptions, reason: string): void {
  if (local) throw new OperatorProblem(reason);
}

/** @throws OperatorProblem for a text that is no request id: it could change the query */
function requestIdIn(text: string): string {
  const id = z.guid().toLowerCase().safeParse(text).data;
  if (id === undefined) throw new OperatorProblem('--request-id must be the id of a request, a UUID.');
  return id;
}

const requestLine = ({ time, log, line }: RequestLine): string =>
  [time, log, typeof line === 'string' ? line : jsonText(line, 0)].join('  ');

const COLUMNS = ['org_id', 'slug', 'name', 'requests', 'units', 'failed', 'refused'] as const satisfies (keyof Used)[];

export const csvOf = ({ month, organizations }: MonthlyUsage): string[] => [
  csvLine(['month', ...COLUMNS]),
  ...organizations.map((used) => csvLine([month, ...COLUMNS.map((column) => used[column])])),
];

/** Matches texts that a spreadsheet would run as a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;

/** A line of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front. */
export const csvLine = (values: readonly (string | number | null)[]): string =>
  values
    .map((value) => {
      if (value === null || typeof value === 'number') return String(value ?? '');
      const text = FORMULA.test(value) ? `'${value}` : value;
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join();

export const usageLines = ({ month, complete, organizations, bytes_scanned }: MonthlyUsage): string[] => [
  ['requests'.padStart(12), 'units'.padStart(12), 'failed'.padStart(9), 'refused'.padStart(9), 'organization'].join(
    '  ',
  ),
  ...organizations.map(({ org_id, slug, name, requests, units, failed, refused }) =>
    [
      String(requests).padStart(12),
      units.toFixed(1).padStart(12),
      String(failed).padStart(9),
      String(refused).padStart(9),
      ...(org_id === null ? ['platform'] : [org_id, ...(slug === null || name === null ? [] : [slug, quoted(name)])]),
    ].join('  '),
  ),
  `${month}: ${organizations.length} rows. Bytes of logs that were read: ${bytes_scanned}.`,
  ...(complete ? [] : [`Not all of ${month}: it is not over, or its first lines are kept no more.`]),
];

/** Number of backups in the text output. */
const SHOWN = 5;

export function backupLines({ table, point_in_time, vault, problems }: Backups, now: number): string[] {
  const window = point_in_time === null ? 'none' : `${point_in_time.earliest} to ${point_in_time.latest}`;
  const points = vault?.recovery_points ?? [];
  return [
    `Table: ${table}`,
    `Point-in-time recovery: ${window}`,
    `Daily backups: ${vault === null ? 'none, as the setting backupRetentionDays says' : countOf(vault, now)}`,
    ...points
      .slice(0, SHOWN)
      .map(({ arn, created_at, bytes }) => `  ${created_at}  ${ageOf(created_at, now)}  ${bytes} bytes  ${arn}`),
    ...problems.map((problem) => `WRONG  ${problem}`),
  ];
}

function countOf({ name, first_due_at, recovery_points }: NonNullable<Backups['vault']>, now: number): string {
  if (first_due_at === null) return `${recovery_points.length} in the vault ${name}`;
  const due = now > Date.parse(first_due_at) ? 'was' : 'is';
  return `none yet in the vault ${name}; the first ${due} due by ${first_due_at}`;
}

const ageOf = (time: string, now: number): string => `${Math.floor((now - Date.parse(time)) / HOUR_MS)} h old`;
