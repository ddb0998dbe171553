import type { Command } from 'commander';
import { organizationEntity } from '#tenancy';
import { ask, printError, printJson } from '../../local/terminal/output.ts';
import { quoted } from '../../local/terminal/printable.ts';
import { reportProgress } from '../../local/terminal/progress.ts';
import { OperatorProblem } from '../problem.ts';
import { compareTenant, type RestoreComparison, type Restored, restoreTenant } from '../restore.ts';
import { EXIT, printResult, type ResultOptions, withExamples, withJson } from '../result.ts';
import { openTarget, type TargetOptions, withTarget } from '../target.ts';
import { openTenant, organizationIdIn } from '../tenant-option.ts';

/** `restore-tenant` works under the stack's maintenance role, in an STS session for that one organization. */

interface RestoreOptions extends TargetOptions, ResultOptions {
  readonly org: string;
  readonly fromTable: string;
  readonly dryRun?: true;
  readonly yes?: string;
}

export function declareRestoreTenant(program: Command): void {
  const command = program
    .command('restore-tenant')
    .description(
      'Give one organization the data that it has in a restored copy of the table, in place of what it has now; keys, webhook endpoints and audit events stay as they are. It is suspended meanwhile and afterwards. Interrupted, it goes on when it is run again',
    )
    .requiredOption('--org <id>', 'id of the organization')
    .requiredOption('--from-table <name>', 'table with the data, restored from a backup or to a point in time')
    .option('--dry-run', 'only count what would be written')
    .option('--yes <id>', 'the id once more, instead of typing the slug of the organization');
  withJson(withTarget(command, 'MaintenanceRoleArn')).action(restore);
  withExamples(
    command,
    'restore-tenant --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --from-table custodia-prod.2026-11-20T0929 --dry-run --outputs outputs.json',
    'restore-tenant --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --from-table custodia-prod.2026-11-20T0929 --outputs outputs.json',
  );
}

async function restore(options: RestoreOptions): Promise<void> {
  const { fromTable, dryRun, yes, json } = options;
  const id = organizationIdIn(options.org);
  if (yes !== undefined && yes.toLowerCase() !== id)
    throw new OperatorProblem(`--yes must be the same id as --org, ${id}.`);
  await using _ = await openTarget(options, 'MaintenanceRoleArn');
  if (dryRun || yes === undefined) {
    const compared = await compareTenant(id, fromTable);
    if (dryRun) {
      printResult(options, { org_id: id, dry_run: true, ...compared }, [...linesOf(compared), 'Nothing was changed.']);
      return;
    }
    printError(...linesOf(compared));
    if (!(await confirm(id))) {
      if (json) printJson({ org_id: id, restored: false });
      else printError('Nothing was changed.');
      process.exitCode = EXIT.found;
      return;
    }
  }
  const progress = reportProgress('');
  const restored = await restoreTenant(id, fromTable, {
    onProgress: (step, written) => progress.report(`${step}, ${written} items written`),
  }).finally(progress.stop);
  const left = restored.verified.differences.filter(({ repaired }) => !repaired).length;
  printResult(options, { org_id: id, restored: true, ...restored }, [
    ...linesOf(restored),
    ...verifiedLines(id, restored),
  ]);
  if (left > 0) process.exitCode = EXIT.found;
}

async function confirm(id: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new OperatorProblem('Without a terminal to ask, confirm with --yes and the id of the organization.');
  const organization = await (await openTenant(id)).records(organizationEntity).get(id);
  if (organization === undefined) return false;
  const { name, slug } = organization.record;
  const typed = await ask(`This replaces the data of ${id}, ${quoted(name)}. Type its slug (${slug}) to go on: `);
  return typed.trim() === slug;
}

const linesOf = ({ records, other_items, write_units, stay_inactive }: RestoreComparison): string[] => [
  ...Object.entries(records).map(
    ([type, { brought_back, changed_back, removed }]) =>
      `${type}: ${brought_back} brought back, ${changed_back} changed back, ${removed} made since and removed`,
  ),
  `Other items: ${other_items}. Write units: ${write_units}.`,
  'Integrations, their secrets and their permissions stay as they are now, and so do webhook endpoints and audit events.',
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
