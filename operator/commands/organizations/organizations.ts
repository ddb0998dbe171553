import type { Command } from 'commander';
import { declareList } from './list.ts';
import { declareResume, declareSuspend } from './suspend.ts';
import { declareUsage } from './usage.ts';

export function declareOrganizations(program: Command): void {
  const group = program
    .command('organizations')
    .description('List, suspend and resume organizations, and what they use');
  declareList(group);
  declareSuspend(group);
  declareResume(group);
  declareUsage(group);
}
