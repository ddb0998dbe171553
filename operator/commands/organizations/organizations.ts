import type { Command } from 'commander';
import { declareListOrganizations } from './list.ts';
import { declareResume, declareSuspend } from './suspend.ts';
import { declareOrganizationUsage } from './usage.ts';

export function declareOrganizations(program: Command): void {
  const group = program
    .command('organizations')
    .description('List, suspend and resume organizations, and what they use');
  declareListOrganizations(group);
  declareSuspend(group);
  declareResume(group);
  declareOrganizationUsage(group);
}
