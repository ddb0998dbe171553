import { Command } from 'commander';
import { inOneLine } from '../local/terminal/command-line.ts';
import { printError } from '../local/terminal/output.ts';
import manifest from '../package.json' with { type: 'json' };
import { declareDoctor } from './commands/doctor.ts';
import { declareErase } from './commands/erase.ts';
import { declareExport } from './commands/export.ts';
import { identityProviderCommands } from './commands/identity-providers.ts';
import { declareImport } from './commands/import.ts';
import { keyCommands } from './commands/keys.ts';
import { declareMcp } from './commands/mcp.ts';
import { organizationCommands } from './commands/organizations.ts';
import { declareRestoreTenant } from './commands/restore-tenant.ts';
import { stageCommands } from './commands/stage.ts';
import { declareVerify } from './commands/verify.ts';
import { declareWebhooksReplay } from './commands/webhooks.ts';

const COMMANDS = [
  declareDoctor,
  ...keyCommands,
  ...identityProviderCommands,
  ...organizationCommands,
  ...stageCommands,
  declareExport,
  declareImport,
  declareMcp,
  declareErase,
  declareRestoreTenant,
  declareWebhooksReplay,
  declareVerify,
];

/**
 * All commands of the operator.
 * @param isJson whether the caller prints errors in the options as JSON, so that they are not printed here
 */
export function operatorProgram(isJson = false): Command {
  const program = new Command('custodia')
    .description('Works on a deployed stage, or on the data of npm start')
    .version(manifest.version)
    .addHelpText('after', '\nExit codes: 0 it is done, 1 it found something, 2 trouble.')
    .configureOutput({ outputError: (text) => isJson || printError(inOneLine(text)) })
    .exitOverride();
  for (const declare of COMMANDS) declare(program);
  return program;
}
