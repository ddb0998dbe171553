import type { Command } from 'commander';
import { quoted } from '../../../local/terminal/printable.ts';
import { platformKeys } from '../../platform-keys.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { openTarget, type TargetOptions, withTarget } from '../../target.ts';

export function declareListPlatformKeys(group: Command): void {
  const command = group.command('list').description('List the integrations of the platform, the oldest first');
  withJson(withTarget(command, 'OperatorRoleArn')).action(list);
  withExamples(command, 'platform-keys list --outputs outputs.json');
}

async function list(options: TargetOptions & ResultOptions): Promise<void> {
  await using _ = await openTarget(options, 'OperatorRoleArn');
  const keys = await platformKeys();
  printResult(
    options,
    keys,
    keys.map(({ status, created_at, app_code, display_name }) =>
      [status.padEnd(8), created_at, app_code, quoted(display_name)].join('  '),
    ),
  );
}
