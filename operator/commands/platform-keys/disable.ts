import type { Command } from 'commander';
import { disablePlatformKey, platformKeys } from '../../platform-keys.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { openTarget, type TargetOptions, withTarget } from '../../target.ts';

interface DisableOptions extends TargetOptions, ResultOptions {
  readonly appCode: string;
}

export function declareDisablePlatformKey(group: Command): void {
  const command = group
    .command('disable')
    .description('Set a key of the platform inactive: it cannot log in, and its tokens end')
    .requiredOption('--app-code <code>', 'app code of the key');
  withJson(withTarget(command, 'OperatorRoleArn')).action(disable);
  withExamples(command, 'platform-keys disable --app-code ops --outputs outputs.json');
}

async function disable(options: DisableOptions): Promise<void> {
  const { appCode } = options;
  await using _ = await openTarget(options, 'OperatorRoleArn');
  const changed = await disablePlatformKey(appCode);
  const active = (await platformKeys()).filter(({ status }) => status === 'active').length;
  printResult(options, { app_code: appCode, status: 'inactive', changed, active_keys: active }, [
    changed ? `${appCode} is inactive.` : `${appCode} was inactive already.`,
    ...(active === 0 ? ['No key of the platform is active now: custodia create-platform-key makes one.'] : []),
  ]);
}
