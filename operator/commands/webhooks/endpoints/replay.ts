import type { Command } from 'commander';
import { printResult, type ResultOptions, withExamples, withJson } from '../../../result.ts';
import { withTarget } from '../../../target.ts';
import { openForTenant, type TenantOptions, withTenant } from '../../../tenant-option.ts';
import { replayTo } from '../../../webhook-endpoints.ts';
import { endpointIdIn } from './endpoint-option.ts';

interface ReplayOptions extends TenantOptions, ResultOptions {
  readonly endpoint: string;
  readonly from: string;
}

export function declareReplayEndpoint(group: Command): void {
  const command = withTenant(group.command('replay'))
    .description(
      'Have a webhook endpoint go on from another place, back or forward; one that had expired becomes active, with the permissions that a key last confirmed',
    )
    .requiredOption('--endpoint <id>', 'id of the endpoint')
    .requiredOption(
      '--from <cursor>',
      'cursor of the feed or of delivered_through, "oldest" for all events that are kept, or "latest" for none of them',
    );
  withJson(withTarget(command, 'MaintenanceRoleArn')).action(replay);
  const [org, endpoint] = ['6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d', 'c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e'];
  withExamples(
    command,
    `webhooks endpoints replay --org ${org} --endpoint ${endpoint} --from oldest --outputs outputs.json`,
    `webhooks endpoints replay --org ${org} --endpoint ${endpoint} --from AQyq5P8tHkc7mAAAAAAAAJ4rXo2Qv1Zb --outputs outputs.json`,
  );
}

async function replay(options: ReplayOptions): Promise<void> {
  const endpoint = endpointIdIn(options.endpoint);
  await using target = await openForTenant(options, 'MaintenanceRoleArn');
  const { status, suspended } = await replayTo(target.id, endpoint, options.from);
  const waitsFor = [
    ...(status === 'active' ? [] : [`it is ${status}`]),
    ...(suspended ? ['its organization is suspended'] : []),
  ];
  printResult(options, { id: endpoint, status, suspended, from: options.from }, [
    waitsFor.length === 0
      ? `${endpoint} goes on from there.`
      : `${endpoint} goes on from there, but not yet: ${waitsFor.join(', and ')}.`,
  ]);
}
