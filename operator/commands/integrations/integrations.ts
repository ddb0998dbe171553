import type { Command } from 'commander';
import { declareDisable } from './disable.ts';
import { declareList } from './list.ts';

/** The commands work under the stack's cut-off role, in a session for the one organization. */
export function declareIntegrations(program: Command): void {
  const group = program.command('integrations').description('List integrations of an organization, and cut one off');
  declareList(group);
  declareDisable(group);
}
