import { type Command, Option } from 'commander';
import { print } from '../../local/terminal/output.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { csvLine } from '../csv.ts';
import { type Month, monthIn } from '../month.ts';
import { OperatorProblem } from '../problem.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../result.ts';
import { openStage, type TargetOptions, withTarget } from '../target.ts';
import { type MonthlyUsage, type Used, usageOf } from '../usage.ts';

/** `usage` works under the stack's support role. `organizations usage` reports what one organization has stored. */

interface UsageOptions extends TargetOptions, ResultOptions {
  readonly all: true;
  readonly month: Month;
  readonly csv?: true;
}

export function declareUsage(program: Command): void {
  const command = program
    .command('usage')
    .description(
      'Add up what organizations have used in a month: requests and units of DynamoDB, by the lines of the log',
    )
    .requiredOption('--all', 'all organizations')
    .requiredOption('--month <yyyy-mm>', 'month of UTC', monthIn)
    .addOption(new Option('--csv', 'print a table for spreadsheets (RFC 4180)').conflicts('json'));
  withJson(withTarget(command, 'SupportRoleArn')).action(usage);
  withExamples(
    command,
    'usage --all --month 2026-11 --outputs outputs.json',
    'usage --all --month 2026-11 --csv --outputs outputs.json > usage.csv',
  );
}

async function usage(options: UsageOptions): Promise<void> {
  if (options.local) throw new OperatorProblem('npm start keeps no logs: only a stage knows what was used in a month.');
  const { name } = await openStage(options, 'SupportRoleArn');
  const used = await usageOf(name, options.month, Date.now());
  if (options.csv) print(...csvOf(used));
  else printResult(options, used, usageLines(used));
}

const COLUMNS = ['org_id', 'slug', 'name', 'requests', 'units', 'failed', 'refused'] as const satisfies (keyof Used)[];

export const csvOf = ({ month, organizations }: MonthlyUsage): string[] => [
  csvLine(['month', ...COLUMNS]),
  ...organizations.map((used) => csvLine([month, ...COLUMNS.map((column) => used[column])])),
];

export function usageLines({ month, complete, organizations, bytes_scanned }: MonthlyUsage): string[] {
  const head = ['requests'.padStart(12), 'units'.padStart(12), 'failed'.padStart(9), 'refused'.padStart(9)];
  return [
    [...head, 'organization'].join('  '),
    ...organizations.map(lineOf),
    `${month}: ${organizations.length} rows. Bytes of logs that were read: ${bytes_scanned}.`,
    ...(complete ? [] : [`Not all of ${month}: it is not over, or its first lines are kept no more.`]),
  ];
}

const lineOf = ({ org_id, slug, name, requests, units, failed, refused }: Used): string =>
  [
    String(requests).padStart(12),
    units.toFixed(1).padStart(12),
    String(failed).padStart(9),
    String(refused).padStart(9),
    ...(org_id === null ? ['platform'] : [org_id, ...(slug === null || name === null ? [] : [slug, quoted(name)])]),
  ].join('  ');
