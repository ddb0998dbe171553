import type { Command } from 'commander';
import { declareEndpoints } from './endpoints/endpoints.ts';
import { declareReplay } from './replay.ts';

export function declareWebhooks(program: Command): void {
  const group = program
    .command('webhooks')
    .description('Apply stored webhook events again; see to endpoints that events are delivered to');
  declareReplay(group);
  declareEndpoints(group);
}
