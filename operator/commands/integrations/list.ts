import type { Command } from 'commander';
import { quoted } from '../../../local/terminal/printable.ts';
import { integrationsOf, type ListedIntegration } from '../../integrations.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { openTarget, type TargetOptions, withTarget } from '../../target.ts';
import { organizationIdIn } from '../../tenant-option.ts';

interface ListOptions extends TargetOptions, ResultOptions {
  readonly org: string;
}

export function declareListIntegrations(group: Command): void {
  const command = group
    .command('list')
    .description('List the integrations of an organization, the oldest first, without their secrets')
    .requiredOption('--org <id>', 'id of the organization');
  withJson(withTarget(command, 'CutOffRoleArn')).action(list);
  withExamples(command, 'integrations list --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --outputs outputs.json');
}

async function list(options: ListOptions): Promise<void> {
  const id = organizationIdIn(options.org);
  await using _ = await openTarget(options, 'CutOffRoleArn');
  const listed = await integrationsOf(id);
  printResult(options, listed, [...listed.map(lineOf), `Integrations: ${listed.length}.`]);
}

const lineOf = ({ id, status, created_at, app_code, display_name, permissions }: ListedIntegration): string =>
  [
    status.padEnd(8),
    created_at,
    id,
    app_code,
    quoted(display_name),
    permissions === null ? 'all permissions' : `permissions: ${permissions.length}`,
  ].join('  ');
