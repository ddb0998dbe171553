import type { Command } from 'commander';
import type { DeliveryAttempt } from '../../../../functions/events/endpoints/records.ts';
import { printResult, type ResultOptions, withExamples, withJson } from '../../../result.ts';
import { withTarget } from '../../../target.ts';
import { openForTenant, type TenantOptions, withTenant } from '../../../tenant-option.ts';
import { lastAttemptsOf } from '../../../webhook-endpoints.ts';
import { endpointIdIn } from './endpoint-option.ts';

interface AttemptsOptions extends TenantOptions, ResultOptions {
  readonly endpoint: string;
}

export function declareAttempts(group: Command): void {
  const command = withTenant(group.command('attempts'))
    .description(
      'List the last 100 failed deliveries of a webhook endpoint, the newest first; they are kept for 7 days',
    )
    .requiredOption('--endpoint <id>', 'id of the endpoint');
  withJson(withTarget(command, 'MaintenanceRoleArn')).action(attempts);
  withExamples(
    command,
    'webhooks endpoints attempts --org 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d --endpoint c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e --outputs outputs.json',
  );
}

async function attempts(options: AttemptsOptions): Promise<void> {
  const endpoint = endpointIdIn(options.endpoint);
  await using target = await openForTenant(options, 'MaintenanceRoleArn');
  const listed = await lastAttemptsOf(target.id, endpoint);
  printResult(options, listed, [
    ...listed.attempts.map(lineOf),
    `Failed deliveries: ${listed.attempts.length} of ${listed.total}.`,
  ]);
}

const lineOf = ({ attempted_at, status_code, error, events, first_event_id, duration_ms, skipped }: DeliveryAttempt) =>
  [
    attempted_at,
    String(status_code ?? error).padEnd(17),
    `${duration_ms} ms`.padStart(9),
    `${events} ${events === 1 ? 'event' : 'events'} from ${first_event_id}`,
    ...(skipped ? ['skipped'] : []),
  ].join('  ');
