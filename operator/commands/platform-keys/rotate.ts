import type { Command } from 'commander';
import { PREVIOUS } from '../../../functions/integrations/contract.ts';
import { wholeNumberOption } from '../../../local/terminal/command-line.ts';
import { printError, printJson } from '../../../local/terminal/output.ts';
import { rotatePlatformKey } from '../../platform-keys.ts';
import { withExamples, withJson } from '../../result.ts';
import { openTarget, type TargetOptions, withTarget } from '../../target.ts';

interface RotateOptions extends TargetOptions {
  readonly appCode: string;
  readonly previousValidFor: number;
}

export function declareRotate(group: Command): void {
  const command = group
    .command('rotate')
    .description('Give a key of the platform a new secret and print it, once, as JSON')
    .requiredOption('--app-code <code>', 'app code of the key')
    .option(
      '--previous-valid-for <seconds>',
      `how long the previous secret stays valid; 0 also ends all tokens of the key. At most ${PREVIOUS.longest}`,
      wholeNumberOption({ from: 0, to: PREVIOUS.longest }),
      0,
    );
  withJson(withTarget(command, 'OperatorRoleArn', { secrets: true })).action(rotate);
  withExamples(
    command,
    'platform-keys rotate --app-code ops --outputs outputs.json',
    'platform-keys rotate --app-code ops --previous-valid-for 3600 --outputs outputs.json',
  );
}

async function rotate(options: RotateOptions): Promise<void> {
  await using _ = await openTarget(options, 'OperatorRoleArn', { secrets: true });
  printJson(await rotatePlatformKey(options.appCode, options.previousValidFor));
  printError('Keep the secret now: it cannot be shown again.');
}
