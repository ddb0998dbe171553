import { type Organization, organizationEntity } from '#tenancy';
import { quoted } from '../../local/terminal/printable.ts';
import { reportProgress } from '../../local/terminal/progress.ts';
import { tenantOf } from '../as-operator.ts';
import { command, type Result } from '../command.ts';
import { countRecords, eraseOrganization, isErasure, type Receipt } from '../erase.ts';
import { readErasure } from '../maintenance/erase/erasure.ts';
import { OperatorProblem } from '../problem.ts';
import { openTarget, type TargetOptions } from '../target.ts';
import { confirmed, organizationIdIn, requireSameId } from '../tenant-option.ts';

/**
 * `erase` works under the stack's erasure role, in an STS session for that one organization
 * (`docs/decisions/0096-suspending-exporting-erasing.md`).
 */

interface EraseOptions extends TargetOptions {
  readonly org: string;
  readonly dryRun?: true;
  readonly yes?: string;
  readonly sweep?: true;
}

export const declareErase = command<EraseOptions>({
  name: 'erase',
  description:
    'Delete all that there is of an organization, for good, and print a receipt. Interrupted, it goes on when it ' +
    'is run again',
  role: 'ErasureRoleArn',
  options: (declared) =>
    declared
      .requiredOption('--org <id>', 'id of the organization', organizationIdIn)
      .option('--dry-run', 'only count what would be deleted')
      .option('--yes <id>', 'the id once more, instead of typing the slug of the organization')
      .option(
        '--sweep',
        'look through the whole table at the end, with credentials of your own that may scan it (name the --table, ' +
          'and no --outputs); always done with --local',
      ),
  examples: [
    'erase --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --dry-run --outputs outputs.json',
    'erase --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --outputs outputs.json',
  ],
  run: erase,
});

async function erase(options: EraseOptions): Promise<Result> {
  const { org: id, yes } = options;
  requireSameId(id, yes);
  await using _ = await openTarget(options, 'ErasureRoleArn');
  const found = await lookFor(id);
  if (options.dryRun) return resultOfDryRun(id, found);
  if (
    'slug' in found &&
    yes === undefined &&
    !(await confirmed(found, `deletes ${id}, ${quoted(found.name)}, for good`))
  )
    return { value: { org_id: id, erased: false }, lines: ['Nothing was erased.'], isNegative: true };
  const progress = reportProgress('');
  const receipt = await eraseOrganization(id, {
    sweeps: options.sweep === true || options.local === true,
    onProgress: (step, deleted) => progress.report(`${step}, ${deleted} items deleted`),
  }).finally(progress.stop);
  return { value: receipt, lines: linesOf(receipt) };
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

async function resultOfDryRun(id: string, found: Found): Promise<Result> {
  const records = 'records' in found ? found.records : await countRecords(tenantOf(id));
  return { value: { org_id: id, dry_run: true, records }, lines: [...countsOf(records), 'Nothing was erased.'] };
}

const linesOf = (receipt: Receipt): string[] => [
  ...countsOf(receipt.records),
  `${receipt.org_id} is erased. Begun ${receipt.began_at}, done ${receipt.erased_at}.`,
  ...(receipt.swept ? [] : [NOT_SWEPT]),
  ...(receipt.objects ? [] : [NO_OBJECTS]),
];

const NOT_SWEPT =
  'The table was not looked through. Empty sets of words that records had before the service noted such words may ' +
  'be left: erase once more with --sweep deletes them.';

const NO_OBJECTS =
  'The objects of its attachments were not deleted: erase once more with --outputs, which names the bucket, does.';

const countsOf = (records: Receipt['records']): string[] =>
  Object.entries(records).map(([type, count]) => `${String(count).padStart(9)}  ${type}`);
