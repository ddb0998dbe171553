import type { Command } from 'commander';
import { readErasure } from '#maintenance';
import { RequestSession, Tenant } from '#table';
import { type Organization, organizationEntity } from '#tenancy';
import { ask, printError, printJson } from '../../local/terminal/output.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { reportProgress } from '../../local/terminal/progress.ts';
import { countRecords, eraseOrganization, isErasure, type Receipt } from '../erase.ts';
import { OperatorProblem } from '../problem.ts';
import { EXIT, printResult, type ResultOptions, withExamples, withJson } from '../result.ts';
import { openTarget, type TargetOptions, withTarget } from '../target.ts';
import { organizationIdIn } from '../tenant-option.ts';

/** `erase` works under the stack's erasure role, in an STS session for that one organization (`docs/decisions/0096-suspending-exporting-erasing.md`). */

interface EraseOptions extends TargetOptions, ResultOptions {
  readonly org: string;
  readonly dryRun?: true;
  readonly yes?: string;
  readonly sweep?: true;
}

export function declareErase(program: Command): void {
  const command = program
    .command('erase')
    .description(
      'Delete all that there is of an organization, for good, and print a receipt. Interrupted, it goes on when it is run again',
    )
    .requiredOption('--org <id>', 'id of the organization')
    .option('--dry-run', 'only count what would be deleted')
    .option('--yes <id>', 'the id once more, instead of typing the slug of the organization')
    .option(
      '--sweep',
      'look through the whole table at the end, with credentials of your own that may scan it (name the --table, and no --outputs); always done with --local',
    );
  withJson(withTarget(command, 'ErasureRoleArn')).action(erase);
  withExamples(
    command,
    'erase --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --dry-run --outputs outputs.json',
    'erase --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --outputs outputs.json',
  );
}

async function erase(options: EraseOptions): Promise<void> {
  const id = organizationIdIn(options.org);
  const isConfirmed = options.yes !== undefined;
  if (isConfirmed && options.yes?.toLowerCase() !== id)
    throw new OperatorProblem(`--yes must be the same id as --org, ${id}.`);
  await using _ = await openTarget(options, 'ErasureRoleArn');
  const found = await lookFor(id);
  if (options.dryRun) return tellCounts(options, id, found);
  if ('slug' in found && !isConfirmed && !(await confirm(id, found))) {
    if (options.json) printJson({ org_id: id, erased: false });
    else printError('Nothing was erased.');
    process.exitCode = EXIT.found;
    return;
  }
  const sweeps = options.sweep === true || options.local === true;
  const progress = reportProgress('');
  const receipt = await eraseOrganization(id, {
    sweeps,
    onProgress: (step, deleted) => progress.report(`${step}, ${deleted} items deleted`),
  }).finally(progress.stop);
  printResult(options, receipt, linesOf(receipt));
}

type Found = Pick<Organization, 'name' | 'slug'> | { readonly records: Receipt['records'] };

/** The organization, or the counts that were taken when its erasure began. */
async function lookFor(id: string): Promise<Found> {
  const tenant = tenantOf(id);
  const [state, organization] = await Promise.all([readErasure(tenant), tenant.records(organizationEntity).get(id)]);
  if (isErasure(state)) return state;
  if (organization === undefined) throw new OperatorProblem(`There is no organization ${id}.`);
  return organization.record;
}

/** Deadline of a read. */
const TIMEOUT_MS = 10_000;
const tenantOf = (id: string): Tenant => Tenant.ofOperator(id, RequestSession.ofEnvironment(TIMEOUT_MS));

async function tellCounts(options: ResultOptions, id: string, found: Found): Promise<void> {
  const records = 'records' in found ? found.records : await countRecords(tenantOf(id));
  printResult(options, { org_id: id, dry_run: true, records }, [...countsOf(records), 'Nothing was erased.']);
}

async function confirm(id: string, { name, slug }: Pick<Organization, 'name' | 'slug'>): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new OperatorProblem('Without a terminal to ask, confirm with --yes and the id of the organization.');
  const typed = await ask(`This deletes ${id}, ${quoted(name)}, for good. Type its slug (${slug}) to go on: `);
  return typed.trim() === slug;
}

const linesOf = (receipt: Receipt): string[] => [
  ...countsOf(receipt.records),
  `${receipt.org_id} is erased. Begun ${receipt.began_at}, done ${receipt.erased_at}.`,
  ...(receipt.swept ? [] : [NOT_SWEPT]),
];

const NOT_SWEPT =
  'The table was not looked through. Empty sets of words that records had before the service noted such words may be left: erase once more with --sweep deletes them.';

const countsOf = (records: Receipt['records']): string[] =>
  Object.entries(records).map(([type, count]) => `${String(count).padStart(9)}  ${type}`);
