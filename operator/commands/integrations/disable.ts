import type { Command } from 'commander';
import { disableIntegration } from '../../integrations.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { withTarget } from '../../target.ts';
import { openForOrganization, type TenantOptions, withOrganization } from '../../tenant-option.ts';

interface DisableOptions extends TenantOptions, ResultOptions {
  readonly appCode: string;
}

export function declareDisableIntegration(group: Command): void {
  const command = withOrganization(group.command('disable'))
    .description('Set an integration inactive: it cannot log in or sign webhooks, and its tokens end')
    .requiredOption('--app-code <code>', 'app code of the integration');
  withJson(withTarget(command, 'CutOffRoleArn')).action(disable);
  withExamples(
    command,
    'integrations disable --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --app-code acme-billing --outputs outputs.json',
  );
}

async function disable(options: DisableOptions): Promise<void> {
  await using target = await openForOrganization(options, 'CutOffRoleArn');
  const org = target.id;
  const { id, app_code, changed } = await disableIntegration(org, options.appCode);
  printResult(options, { org_id: org, id, app_code, status: 'inactive', changed }, [
    changed
      ? `${app_code} (${id}) is inactive, and its tokens have ended.`
      : `${app_code} (${id}) was inactive already.`,
  ]);
}
