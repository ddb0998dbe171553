import type { Command } from 'commander';
import { declareDisablePlatformKey } from './disable.ts';
import { declareListPlatformKeys } from './list.ts';
import { declareRotate } from './rotate.ts';

/** The commands work under the stack's operator role. */
export function declarePlatformKeys(program: Command): void {
  const group = program.command('platform-keys').description('List, disable and rotate keys of the platform');
  declareListPlatformKeys(group);
  declareDisablePlatformKey(group);
  declareRotate(group);
}
