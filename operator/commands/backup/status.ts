import type { Command } from 'commander';
import { type Backups, backupsOf } from '../../backups.ts';
import { OperatorProblem } from '../../problem.ts';
import { EXIT, printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { openStage, type TargetOptions, withTarget } from '../../target.ts';

/** `backup status` works under the stack's support role. */

type StatusOptions = TargetOptions & ResultOptions;

export function declareStatus(group: Command): void {
  const command = group
    .command('status')
    .description(
      'Show what a stage can be restored from, and what is wrong with it: the daily backups with their age, failed jobs, and point-in-time recovery. It exits with 1 where the newest backup is older than 26 hours, or the first is missing 26 hours after the vault was made',
    );
  withJson(withTarget(command, 'SupportRoleArn')).action(status);
  withExamples(command, 'backup status --outputs outputs.json');
}

async function status(options: StatusOptions): Promise<void> {
  if (options.local)
    throw new OperatorProblem('npm start makes no backups: copy its data directory while it is stopped.');
  const { table, backupVault } = await openStage(options, 'SupportRoleArn');
  const now = Date.now();
  const backups = await backupsOf(table, backupVault, now);
  printResult(options, backups, backupLines(backups, now));
  if (backups.problems.length > 0) process.exitCode = EXIT.found;
}

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

const ageOf = (time: string, now: number): string => `${Math.floor((now - Date.parse(time)) / 3_600_000)} h old`;
