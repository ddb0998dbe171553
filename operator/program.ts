import { Command } from 'commander';
import { inOneLine } from '../local/terminal/command-line.ts';
import { printError } from '../local/terminal/output.ts';
import manifest from '../package.json' with { type: 'json' };
import { declareBackup } from './commands/backup/backup.ts';
import { declareCreatePlatformKey } from './commands/create-platform-key.ts';
import { declareDoctor } from './commands/doctor.ts';
import { declareErase } from './commands/erase.ts';
import { declareExport } from './commands/export.ts';
import { declareImport } from './commands/import.ts';
import { declareIntegrations } from './commands/integrations/integrations.ts';
import { declareLogs } from './commands/logs.ts';
import { declareOrganizations } from './commands/organizations/organizations.ts';
import { declarePlatformKeys } from './commands/platform-keys/platform-keys.ts';
import { declareRestoreTenant } from './commands/restore-tenant.ts';
import { declareUsage } from './commands/usage.ts';
import { declareVerify } from './commands/verify.ts';
import { declareWebhooks } from './commands/webhooks/webhooks.ts';

/**
 * All commands of the operator; each has a file in `commands/`.
 * @param isJson whether the caller prints errors in the options as JSON, so that they are not printed here
 */
export function operatorProgram(isJson = false): Command {
  const program = new Command('custodia')
    .description('Works on a deployed stage, or on the data of npm start')
    .version(manifest.version)
    .addHelpText('after', '\nExit codes: 0 it is done, 1 it found something, 2 trouble.')
    .configureOutput({ outputError: (text) => isJson || printError(inOneLine(text)) })
    .exitOverride();
  declareDoctor(program);
  declareCreatePlatformKey(program);
  declarePlatformKeys(program);
  declareOrganizations(program);
  declareIntegrations(program);
  declareUsage(program);
  declareLogs(program);
  declareExport(program);
  declareImport(program);
  declareErase(program);
  declareRestoreTenant(program);
  declareBackup(program);
  declareWebhooks(program);
  declareVerify(program);
  return program;
}
