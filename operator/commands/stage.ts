import { Option } from 'commander';
import { wholeNumberOption } from '../../local/terminal/command-line.ts';
import { jsonText } from '../../local/terminal/printable.ts';
import { type Backups, backupsOf } from '../backups.ts';
import { command, type Declare } from '../command.ts';
import { linesOfRequest, type RequestLine } from '../logs.ts';
import { openStage, type StackOptions } from '../target.ts';
import { idOption } from '../tenant-option.ts';
import { csvOf, type Month, monthIn, usageLines, usageOf } from '../usage.ts';

/** What a stage has in logs and backups, under its support role. */

const role = 'SupportRoleArn';
const HOUR_MS = 3_600_000;
/** Ten years, the longest time that logs are kept. */
const MOST_HOURS = 87_600;

export const stageCommands: readonly Declare[] = [
  command<StackOptions & { readonly all: true; readonly month: Month; readonly csv?: true }>({
    name: 'usage',
    description:
      'Add up what organizations have used in a month: requests and units of DynamoDB, by the lines of the log',
    role,
    isOfStage: true,
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
      const { name } = await openStage(options, role);
      const used = await usageOf(name, options.month, Date.now());
      return { value: used, lines: options.csv ? csvOf(used) : usageLines(used) };
    },
  }),
  command<StackOptions & { readonly requestId: string; readonly hours: number }>({
    name: 'logs',
    description: 'Find all lines of a request in the logs of the gateway and of all functions, Lambda’s own too',
    role,
    isOfStage: true,
    options: (declared) =>
      declared
        .requiredOption(
          '--request-id <id>',
          'id of the request: callers have it from X-Request-Id',
          idOption('--request-id', 'a request'),
        )
        .option('--hours <number>', 'how far back to look', wholeNumberOption({ to: MOST_HOURS }), 24),
    examples: [
      'logs --request-id 5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90 --outputs outputs.json',
      'logs --request-id 5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90 --hours 720 --json --outputs outputs.json',
    ],
    run: async ({ requestId, hours, ...options }) => {
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
  command<StackOptions>({
    name: 'backup status',
    description:
      'Show what a stage can be restored from, and what is wrong with it: the daily backups with their age, failed ' +
      'jobs, and point-in-time recovery. It exits with 1 where the newest backup is older than 26 hours, or the ' +
      'first is missing 26 hours after the vault was made',
    role,
    isOfStage: true,
    examples: ['backup status --outputs outputs.json'],
    run: async (options) => {
      const { table, backupVault } = await openStage(options, role);
      const now = Date.now();
      const backups = await backupsOf(table, backupVault, now);
      return { value: backups, lines: backupLines(backups, now), isNegative: backups.problems.length > 0 };
    },
  }),
];

const requestLine = ({ time, log, line }: RequestLine): string =>
  [time, log, typeof line === 'string' ? line : jsonText(line, 0)].join('  ');

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
