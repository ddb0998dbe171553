import type { Command } from 'commander';
import { quoted } from '../../../local/terminal/printable.ts';
import { integrationsOf, type ListedIntegration } from '../../integrations.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../../result.ts';
import { withTarget } from '../../target.ts';
import { openForOrganization, type TenantOptions, withOrganization } from '../../tenant-option.ts';

interface ListOptions extends TenantOptions, ResultOptions {}

export function declareListIntegrations(group: Command): void {
  const command = withOrganization(group.command('list')).description(
    'List the integrations of an organization, the oldest first, without their secrets',
  );
  withJson(withTarget(command, 'CutOffRoleArn')).action(list);
  withExamples(command, 'integrations list --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --outputs outputs.json');
}

async function list(options: ListOptions): Promise<void> {
  await using target = await openForOrganization(options, 'CutOffRoleArn');
  const listed = await integrationsOf(target.id);
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
