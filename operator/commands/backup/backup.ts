import type { Command } from 'commander';
import { declareStatus } from './status.ts';

export function declareBackup(program: Command): void {
  declareStatus(program.command('backup').description('What a stage can be restored from'));
}
