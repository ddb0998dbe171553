import { organizationEntity } from '#tenancy';
import { printError } from '../../local/terminal/output.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { reportProgress } from '../../local/terminal/progress.ts';
import { command, type Result } from '../command.ts';
import { compareTenant, type RestoreComparison, type Restored, restoreTenant } from '../restore.ts';
import { openTarget, type TargetOptions } from '../target.ts';
import { confirmed, openTenant, organizationIdIn, requireSameId } from '../tenant-option.ts';

interface RestoreOptions extends TargetOptions {
  readonly org: string;
  readonly fromTable: string;
  readonly dryRun?: true;
  readonly yes?: string;
}

/** `restore-tenant` works under the stack's maintenance role, in an STS session for that one organization. */
export const declareRestoreTenant = command<RestoreOptions>({
  name: 'restore-tenant',
  description:
    'Give one organization the data that it has in a restored copy of the table, in place of what it has now; ' +
    'keys, webhook endpoints and audit events stay as they are. It is suspended meanwhile and afterwards. ' +
    'Interrupted, it goes on when it is run again',
  role: 'MaintenanceRoleArn',
  options: (declared) =>
    declared
      .requiredOption('--org <id>', 'id of the organization', organizationIdIn)
      .requiredOption('--from-table <name>', 'table with the data, restored from a backup or to a point in time')
      .option('--dry-run', 'only count what would be written')
      .option('--yes <id>', 'the id once more, instead of typing the slug of the organization'),
  examples: ['--dry-run --outputs', '--outputs'].map(
    (options) =>
      'restore-tenant --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --from-table custodia-prod.2026-11-20T0929 ' +
      `${options} outputs.json`,
  ),
  run: restore,
});

async function restore({ org: id, fromTable, dryRun, yes, ...options }: RestoreOptions): Promise<Result> {
  requireSameId(id, yes);
  await using _ = await openTarget(options, 'MaintenanceRoleArn');
  if (dryRun || yes === undefined) {
    const compared = await compareTenant(id, fromTable);
    const lines = linesOf(compared);
    if (dryRun) return { value: { org_id: id, dry_run: true, ...compared }, lines: [...lines, NOTHING] };
    printError(...lines);
    if (!(await isConfirmed(id))) return { value: { org_id: id, restored: false }, lines: [NOTHING], isNegative: true };
  }
  const progress = reportProgress('');
  const restored = await restoreTenant(id, fromTable, {
    onProgress: (step, written) => progress.report(`${step}, ${written} items written`),
  }).finally(progress.stop);
  return {
    value: { org_id: id, restored: true, ...restored },
    lines: [...linesOf(restored), ...verifiedLines(id, restored)],
    isNegative: restored.verified.differences.some(({ repaired }) => !repaired),
  };
}

const NOTHING = 'Nothing was changed.';

async function isConfirmed(id: string): Promise<boolean> {
  const organization = await (await openTenant(id)).records(organizationEntity).get(id);
  if (organization === undefined) return false;
  const { name } = organization.record;
  return confirmed(organization.record, `replaces the data of ${id}, ${quoted(name)}`);
}

const linesOf = ({ records, other_items, write_units, stay_inactive }: RestoreComparison): string[] => [
  ...Object.entries(records).map(
    ([type, { brought_back, changed_back, removed }]) =>
      `${type}: ${brought_back} brought back, ${changed_back} changed back, ${removed} made since and removed`,
  ),
  `Other items: ${other_items}. Write units: ${write_units}.`,
  'Integrations, their secrets and their permissions stay as they are now, and so do webhook endpoints and audit ' +
    'events.',
  'Cursors of events end: who follows the feed begins anew, and webhook endpoints are expired until they are replayed.',
  ...(stay_inactive.length === 0 ? [] : [`Active then, and inactive now as before: ${stay_inactive.join(', ')}.`]),
];

const verifiedLines = (id: string, { verified: { records, differences } }: Restored): string[] => {
  const left = differences.filter(({ repaired }) => !repaired);
  return [
    `Verified: ${records} records. Differences: ${differences.length}, repaired: ${differences.length - left.length}.`,
    ...left.map(({ text }) => text),
    `${id} is restored, and still suspended: look at its data, then run custodia organizations resume.`,
  ];
};
