import type { Command } from 'commander';
import { print } from '../../local/terminal/output.ts';
import type { Verified } from '../../shared/table/verify/difference.ts';
import { verify } from '../../shared/table/verify/verify.ts';
import { type AnswerOptions, answer, EXIT, withExamples, withJson } from '../answer.ts';
import { kinds } from '../kinds.ts';
import { openTarget, type TargetOptions, withTarget } from '../target.ts';
import { openTenant, tenantIdIn } from '../tenant-option.ts';

/**
 * `verify` works under the stack's maintenance role, in a session that reaches the one tenant that is named
 * (`docs/decisions/0092-operator-verify.md`), or on the data of `npm start`.
 */

interface VerifyOptions extends TargetOptions, AnswerOptions {
  readonly org: string;
  readonly repair?: true;
}

export function declareVerify(program: Command): void {
  const command = program
    .command('verify')
    .description("Recount a tenant's lists, filters and counters against its records, and print what differs")
    .requiredOption('--org <id>', 'id of an organization, or "platform"')
    .option('--repair', 'repair what differs, build filters that were added later, finish unfinished deletions');
  withJson(withTarget(command, 'MaintenanceRoleArn')).action(verifyTenant);
  withExamples(
    command,
    'verify --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --repair --outputs outputs.json',
    'verify --org platform --local',
  );
}

async function verifyTenant(options: VerifyOptions): Promise<void> {
  const id = tenantIdIn(options.org);
  const repair = options.repair === true;
  await using _ = await openTarget(options, 'MaintenanceRoleArn');
  const { records, differences, tombstones } = await verify(await openTenant(id), kinds, {
    repair,
    // For people at once, for it may take long.
    report: (difference) => options.json || print(lineOf(difference, repair)),
  });
  const repaired = differences.filter((difference) => difference.repaired).length;
  answer(options, { records, differences, repaired, tombstones }, [
    `Records looked at: ${records}. Differences: ${differences.length}. Repaired: ${repaired}.`,
    ...(tombstones === 0 ? [] : [`Tombstones that stop nobody any more, deleted: ${tombstones}.`]),
  ]);
  if (repaired < differences.length) process.exitCode = EXIT.found;
}

function lineOf({ text, repaired, reason }: Verified, repair: boolean): string {
  if (repaired) return `${text} (repaired)`;
  const said = [...(repair ? ['not repaired'] : []), ...(reason === undefined ? [] : [reason])].join(': ');
  return said === '' ? text : `${text} (${said})`;
}
