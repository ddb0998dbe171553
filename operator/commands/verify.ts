import { resolve } from 'node:path';
import { Option } from 'commander';
import { environmentTable } from '#table';
import { readSettings } from '../../local/settings.ts';
import { wholeNumberOption } from '../../local/terminal/command-line.ts';
import { print, printError } from '../../local/terminal/output.ts';
import { reportProgress } from '../../local/terminal/progress.ts';
import { command, EXIT, type Result, type ResultOptions } from '../command.ts';
import { kinds } from '../kinds.ts';
import type { Verified } from '../maintenance/verify/difference.ts';
import { verify } from '../maintenance/verify/verify.ts';
import { errorSentenceOf, OperatorProblem } from '../problem.ts';
import { openTarget, type TargetOptions } from '../target.ts';
import { ORG, openForTenant, openTenant, type TenantOptions } from '../tenant-option.ts';
import { openProgress, type RunOfVerify, type VerifiedAll, verifyAll } from '../verify-all.ts';

/**
 * `verify` works under the stack's maintenance role, in STS sessions that reach one tenant each: the named tenant, or
 * with `--all` every tenant (`docs/decisions/0098-command-line.md`). It also works on the data of `npm start`.
 */

interface VerifyOptions extends TargetOptions, ResultOptions {
  readonly org?: string;
  readonly all?: true;
  readonly repair?: true;
  readonly concurrency?: number;
  readonly progress?: string;
}

/**
 * Tenants verified at the same time with `--all`. Each holds all its sequence numbers in memory, and runs up to 16
 * repairs at once.
 */
const CONCURRENCY = { standard: 4, most: 16 } as const;

export const declareVerify = command<VerifyOptions>({
  name: 'verify',
  description: "Recount tenants' lists, filters and counters against their records, and print what differs",
  role: 'MaintenanceRoleArn',
  options: (declared) =>
    declared
      .addOption(new Option(ORG.flags, ORG.tenant).conflicts('all'))
      .option('--all', 'the platform and all organizations, instead of one')
      .option('--repair', 'repair what differs, build filters that were added later, finish unfinished deletions')
      .option(
        '--concurrency <n>',
        `with --all: how many tenants at the same time, ${CONCURRENCY.most} at most; by default ` +
          `${CONCURRENCY.standard}`,
        wholeNumberOption({ from: 1, to: CONCURRENCY.most }),
      )
      .option(
        '--progress <file>',
        'with --all: file to note in which tenants are done, and to go on from after an interruption; it is ' +
          'deleted when all are done',
      ),
  examples: [
    'verify --org acme --repair --outputs outputs.json',
    'verify --all --repair --concurrency 8 --progress verify.progress --outputs outputs.json',
    'verify --org platform --local',
  ],
  run: async (options) => {
    if (options.all) return verifyEach(options);
    if (options.org === undefined) throw new OperatorProblem('Name an organization with --org, or all with --all.');
    if (options.concurrency !== undefined || options.progress !== undefined)
      throw new OperatorProblem('--concurrency and --progress go with --all.');
    return verifyTenant({ ...options, org: options.org });
  },
});

async function verifyTenant(options: VerifyOptions & TenantOptions): Promise<Result> {
  const repair = options.repair === true;
  await using target = await openForTenant(options, 'MaintenanceRoleArn');
  const { records, differences, tombstones } = await verify(await openTenant(target.id), kinds, {
    repair,
    // Text output prints each difference at once: the command may take long.
    report: (difference) => options.json || print(lineOf(difference, repair)),
  });
  const repaired = countRepaired(differences);
  return {
    value: { records, differences, repaired, tombstones },
    lines: [summaryOf(records, differences.length, repaired), ...tombstoneLines(tombstones)],
    isNegative: repaired < differences.length,
  };
}

async function verifyEach(options: VerifyOptions): Promise<Result> {
  const { json, concurrency = CONCURRENCY.standard } = options;
  const repair = options.repair === true;
  await using _ = await openTarget(options, 'MaintenanceRoleArn');
  await using progress =
    options.progress === undefined ? undefined : await openProgress(options.progress, runOf(options));
  const shown = reportProgress('listing the organizations');
  const found = await verifyAll(kinds, {
    repair,
    concurrency,
    progress,
    onDifference: (orgId, difference) => {
      shown.clear();
      if (!json) print(`${nameOf(orgId)}: ${lineOf(difference, repair)}`);
    },
    onProgress: (finished, all) => shown.report(`${finished} of ${all} tenants`),
  }).finally(shown.stop);
  return resultOf(found, json === true);
}

const runOf = (options: VerifyOptions): RunOfVerify => ({
  table: tableOf(options),
  repair: options.repair === true,
  lists: Object.fromEntries(kinds.map(({ entity, indexes }) => [entity.name, indexes])),
});

/** The name of the table. All tables of `npm start` have the same name: their directory tells them apart. */
const tableOf = ({ local }: VerifyOptions): string =>
  environmentTable().name + (local ? ` in ${resolve(readSettings(process.env).dataDir)}` : '');

function resultOf({ failed: errors, ...found }: VerifiedAll, json: boolean): Result {
  const failed = errors.map(({ org_id, error }) => ({ org_id, error: errorSentenceOf(error) }));
  const { tenants, earlier, records, differences, tombstones, units } = found;
  const repaired = countRepaired(differences);
  if (!json) for (const { org_id, error } of failed) printError(`${nameOf(org_id)} failed: ${error}`);
  if (failed.length > 0) process.exitCode = EXIT.trouble;
  return {
    value: { ...found, repaired, failed },
    lines: [
      `Tenants verified: ${tenants}.${earlier === 0 ? '' : ` Before: ${earlier}.`} Failed: ${failed.length}.`,
      summaryOf(records, differences.length, repaired),
      ...tombstoneLines(tombstones),
      `Units of DynamoDB, read and written: ${units}.`,
    ],
    isNegative: failed.length === 0 && repaired < differences.length,
  };
}

const nameOf = (id: string | null): string => id ?? 'platform';

const countRepaired = (differences: readonly Verified[]): number =>
  differences.filter((difference) => difference.repaired).length;

const summaryOf = (records: number, differences: number, repaired: number): string =>
  `Records looked at: ${records}. Differences: ${differences}. Repaired: ${repaired}.`;

const tombstoneLines = (tombstones: number): string[] =>
  tombstones === 0 ? [] : [`Tombstones that stop nobody any more, deleted: ${tombstones}.`];

function lineOf({ text, repaired, reason }: Verified, repair: boolean): string {
  if (repaired) return `${text} (repaired)`;
  const said = [...(repair ? ['not repaired'] : []), ...(reason === undefined ? [] : [reason])].join(': ');
  return said === '' ? text : `${text} (${said})`;
}
