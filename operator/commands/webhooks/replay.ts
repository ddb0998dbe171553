import type { Command } from 'commander';
import * as z from 'zod';
import { OperatorProblem } from '../../problem.ts';
import { replayEvent } from '../../replay.ts';
import { EXIT, printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { withTarget } from '../../target.ts';
import { openForTenant, openTenant, type TenantOptions, withTenant } from '../../tenant-option.ts';

/** `webhooks replay` works under the stack's replay role, in an STS session for the one tenant (`docs/decisions/0061-webhooks.md`). */

interface ReplayOptions extends TenantOptions, ResultOptions {
  readonly event: string;
  readonly again?: true;
}

export function declareReplay(group: Command): void {
  const command = withTenant(group.command('replay'))
    .description(
      'Apply a stored webhook event as if it were delivered now: one that had no effect when it came, or one that was applied, once more',
    )
    .requiredOption('--event <id>', 'id of the event in the list of webhook events')
    .option('--again', 'also where it was applied before');
  withJson(withTarget(command, 'ReplayRoleArn', { secrets: true })).action(run);
  withExamples(
    command,
    'webhooks replay --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --event 1a1d416e-34c7-49c8-a670-144b743765a0 --outputs outputs.json',
  );
}

async function run(options: ReplayOptions): Promise<void> {
  const event = z.guid().toLowerCase().safeParse(options.event).data;
  if (event === undefined) throw new OperatorProblem('--event must be the id of a webhook event.');
  await using target = await openForTenant(options, 'ReplayRoleArn', { secrets: true });
  await openTenant(target.id);
  const outcome = await replayEvent(target.id, event, options.again === true);
  if ('reason' in outcome) {
    printResult(options, { event, applied: false, reason: outcome.reason }, [`Not applied. ${outcome.reason}`]);
    process.exitCode = EXIT.found;
    return;
  }
  const { operation, recordId } = outcome;
  printResult(options, { event, applied: true, operation, record_id: recordId }, [
    `Applied by ${operation} to ${recordId}.`,
  ]);
}
