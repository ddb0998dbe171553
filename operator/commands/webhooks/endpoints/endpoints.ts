import type { Command } from 'commander';
import { declareAttempts } from './attempts.ts';
import { declareListEndpoints } from './list.ts';
import { declareReplayEndpoint } from './replay.ts';

/** The commands work under the stack's maintenance role, in an STS session for the one tenant. */
export function declareEndpoints(webhooks: Command): void {
  const group = webhooks
    .command('endpoints')
    .description('List the endpoints that events are delivered to, see why calls fail, and deliver again');
  declareListEndpoints(group);
  declareAttempts(group);
  declareReplayEndpoint(group);
}
