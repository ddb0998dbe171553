import type { Command } from 'commander';
import { declareReplay } from './replay.ts';

export function declareWebhooks(program: Command): void {
  declareReplay(program.command('webhooks').description('Apply stored webhook events again'));
}
