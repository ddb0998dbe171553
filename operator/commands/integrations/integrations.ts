import type { Command } from 'commander';
import { declareDisableIntegration } from './disable.ts';
import { declareListIntegrations } from './list.ts';

/** The commands work under the stack's cut-off role, in an STS session for the one organization. */
export function declareIntegrations(program: Command): void {
  const group = program.command('integrations').description('List integrations of an organization, and cut one off');
  declareListIntegrations(group);
  declareDisableIntegration(group);
}
