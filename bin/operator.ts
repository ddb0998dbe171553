import { Command } from 'commander';
import type * as z from 'zod';
import { integration } from '../functions/integrations/contract.ts';
import { createPlatformIntegration } from '../functions/integrations/platform.ts';
import { NotUnique } from '../shared/table/errors.ts';

/**
 * The operator's command line for a deployed stack. It works with the operator's own AWS credentials, which must reach the
 * table and the secrets key; nobody else can make a platform key.
 *
 *     node bin/operator.ts create-platform-key --app-code ops --table <name> --secrets-key <id>
 */

interface KeyOptions {
  readonly appCode: string;
  readonly displayName: string;
  readonly table: string;
  readonly secretsKey: string;
  readonly region?: string;
}

const program = new Command('operator').description("Custodia's operator commands for a deployed stack");

program
  .command('create-platform-key')
  .description('Register an integration of the platform and print its secret, once')
  .requiredOption('--app-code <code>', 'app code to log in with')
  .requiredOption('--table <name>', 'name of the table, an output of the stack')
  .requiredOption('--secrets-key <id>', 'id or ARN of the KMS key over secrets, an output of the stack')
  .option('--display-name <text>', 'name to show', 'Platform')
  .option('--region <region>', 'AWS region, where the environment names none')
  .action(createPlatformKey);

async function createPlatformKey(options: KeyOptions): Promise<void> {
  const asked = { app_code: options.appCode, display_name: options.displayName };
  const { app_code, display_name } = integration.create.schema.shape;
  requireValid('--app-code', app_code.safeParse(asked.app_code).error);
  requireValid('--display-name', display_name.safeParse(asked.display_name).error);
  // A key file of this machine has no business in a deployed table.
  delete process.env.KEY_FILE;
  process.env.TABLE_NAME = options.table;
  process.env.SECRETS_KEY_ID = options.secretsKey;
  if (options.region !== undefined) process.env.AWS_REGION = options.region;

  const { id, secret } = await createPlatformIntegration(asked);
  console.log(JSON.stringify({ id, app_code: options.appCode, secret }, undefined, 2));
  console.error('Keep the secret now: it cannot be shown again.');
}

function requireValid(option: string, error: z.ZodError | undefined): void {
  if (error !== undefined) program.error(`${option} ${error.issues[0]?.message}`);
}

try {
  await program.parseAsync();
} catch (error) {
  const reason = error instanceof NotUnique ? 'An integration with this app code exists already.' : String(error);
  program.error(reason);
}
