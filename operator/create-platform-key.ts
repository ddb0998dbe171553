import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { Command } from 'commander';
import type * as z from 'zod';
import { integration } from '../functions/integrations/contract.ts';
import { createPlatformIntegration } from '../functions/integrations/platform.ts';
import { NotUnique } from '../shared/table/errors.ts';
import { OperatorProblem } from './problem.ts';
import { type StackOptions, setStackEnvironment, stackOf, withStackOptions } from './stack.ts';

/** `create-platform-key` works under the stack's operator role; nobody else can make a platform key. */

interface KeyOptions extends StackOptions {
  readonly appCode: string;
  readonly displayName: string;
}

export function declareCreatePlatformKey(program: Command): void {
  const command = program
    .command('create-platform-key')
    .description('Register an integration of the platform and print its secret, once')
    .requiredOption('--app-code <code>', 'app code to log in with')
    .option('--display-name <text>', 'name to show', 'Platform');
  withStackOptions(command, 'OperatorRoleArn')
    .option('--secrets-key <arn>', 'KMS key over secrets, instead of the output SecretsKeyArn')
    .action(createPlatformKey);
}

async function createPlatformKey(options: KeyOptions): Promise<void> {
  const asked = { app_code: options.appCode, display_name: options.displayName };
  const { app_code, display_name } = integration.create.schema.shape;
  requireValid('--app-code', app_code.safeParse(asked.app_code).error);
  requireValid('--display-name', display_name.safeParse(asked.display_name).error);
  await workOnStack(options);

  const { id, secret } = await createPlatformIntegration(asked).catch((error: unknown) => {
    throw error instanceof NotUnique
      ? new OperatorProblem('An integration with this app code exists already.', { cause: error })
      : error;
  });
  console.log(JSON.stringify({ id, app_code: options.appCode, secret }, undefined, 2));
  console.error('Keep the secret now: it cannot be shown again.');
}

function requireValid(option: string, error: z.ZodError | undefined): void {
  if (error !== undefined) throw new OperatorProblem(`${option} ${error.issues[0]?.message}`);
}

async function workOnStack(options: KeyOptions): Promise<void> {
  const stack = await stackOf(options, 'OperatorRoleArn');
  const { table, secretsKey, role } = stack;
  if (table === undefined || secretsKey === undefined) {
    throw new OperatorProblem('Name the stack with --outputs, or with --table and --secrets-key.');
  }
  setStackEnvironment(table, stack);
  process.env.SECRETS_KEY_ID = secretsKey;
  if (role !== undefined) await assume(role);
}

async function assume(role: string): Promise<void> {
  const command = new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 'custodia-operator', DurationSeconds: 900 });
  const { Credentials: session } = await new STSClient().send(command);
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: session?.AccessKeyId,
    AWS_SECRET_ACCESS_KEY: session?.SecretAccessKey,
    AWS_SESSION_TOKEN: session?.SessionToken,
  });
  // A profile would go before them.
  delete process.env.AWS_PROFILE;
}
