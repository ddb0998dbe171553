import type { Command } from 'commander';
import type { WebhookEndpoint } from '../../../../functions/events/endpoints/records.ts';
import { quoted } from '../../../../local/terminal/printable.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../../../result.ts';
import { withTarget } from '../../../target.ts';
import { openForTenant, type TenantOptions, withTenant } from '../../../tenant-option.ts';
import { endpointsOf } from '../../../webhook-endpoints.ts';

interface ListOptions extends TenantOptions, ResultOptions {}

/** `webhooks endpoints` alone is this, too. */
export function declareListEndpoints(group: Command): void {
  const command = withTenant(group.command('list', { isDefault: true })).description(
    'List the webhook endpoints of an organization, the oldest first: their status, how many events wait, and since when calls fail',
  );
  withJson(withTarget(command, 'MaintenanceRoleArn')).action(list);
  withExamples(command, 'webhooks endpoints list --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --outputs outputs.json');
}

async function list(options: ListOptions): Promise<void> {
  await using target = await openForTenant(options, 'MaintenanceRoleArn');
  const listed = await endpointsOf(target.id);
  printResult(options, listed, [...listed.map(lineOf), `Webhook endpoints: ${listed.length}.`]);
}

const lineOf = ({ id, status, status_reason, backlog, failing_since, app_code, url }: WebhookEndpoint): string =>
  [
    (status_reason === null ? status : `${status} (${status_reason})`).padEnd(8),
    `backlog ${backlog ?? 'unknown'}`,
    failing_since === null ? 'no failure' : `failing since ${failing_since}`,
    id,
    app_code,
    quoted(url),
  ].join('  ');
