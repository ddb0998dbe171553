import type { Command } from 'commander';
import type * as z from 'zod';
import { NotUnique } from '#table';
import { integrationCreate } from '../../functions/integrations/contract.ts';
import { createPlatformIntegration } from '../../functions/integrations/platform.ts';
import { printError, printJson } from '../../local/terminal/output.ts';
import { OperatorProblem } from '../problem.ts';
import { withExamples, withJson } from '../result.ts';
import { openTarget, type TargetOptions, withTarget } from '../target.ts';

/** `create-platform-key` works under the stack's operator role; nobody else can make a platform key. */

interface KeyOptions extends TargetOptions {
  readonly appCode: string;
  readonly displayName: string;
}

export function declareCreatePlatformKey(program: Command): void {
  const command = program
    .command('create-platform-key')
    .description('Register an integration of the platform and print its secret, once, as JSON')
    .requiredOption('--app-code <code>', 'app code to log in with')
    .option('--display-name <text>', 'name to show', 'Platform');
  withJson(withTarget(command, 'OperatorRoleArn', { secrets: true })).action(createPlatformKey);
  withExamples(command, 'create-platform-key --app-code ops --outputs outputs.json');
}

async function createPlatformKey(options: KeyOptions): Promise<void> {
  const asked = { app_code: options.appCode, display_name: options.displayName };
  const { app_code, display_name } = integrationCreate.schema.shape;
  requireValid('--app-code', app_code.safeParse(asked.app_code).error);
  requireValid('--display-name', display_name.safeParse(asked.display_name).error);
  await using _ = await openTarget(options, 'OperatorRoleArn', { secrets: true });

  const { id, secret } = await createPlatformIntegration(asked).catch((error: unknown) => {
    throw error instanceof NotUnique
      ? new OperatorProblem('An integration with this app code exists already.', { cause: error })
      : error;
  });
  printJson({ id, app_code: options.appCode, secret });
  printError('Keep the secret now: it cannot be shown again.');
}

function requireValid(option: string, error: z.ZodError | undefined): void {
  if (error !== undefined) throw new OperatorProblem(`${option} ${error.issues[0]?.message}`);
}
