import { readFile } from 'node:fs/promises';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { Command } from 'commander';
import * as z from 'zod';
import { integration } from '../functions/integrations/contract.ts';
import { createPlatformIntegration } from '../functions/integrations/platform.ts';
import { NotUnique } from '../shared/table/errors.ts';

/**
 * The operator's command line for a deployed stack. It works under the stack's operator role, which the operator's own AWS credentials must
 * be allowed to assume; nobody else can make a platform key.
 *
 *     npx cdk deploy --outputs-file outputs.json
 *     npx node bin/operator.ts create-platform-key --app-code ops --outputs outputs.json
 */

interface KeyOptions {
  readonly appCode: string;
  readonly displayName: string;
  readonly outputs?: string;
  readonly table?: string;
  readonly secretsKey?: string;
  readonly role?: string;
  readonly region?: string;
}

const program = new Command('operator').description("Custodia's operator commands for a deployed stack");

program
  .command('create-platform-key')
  .description('Register an integration of the platform and print its secret, once')
  .requiredOption('--app-code <code>', 'app code to log in with')
  .option('--outputs <file>', 'outputs of the stack, as cdk deploy --outputs-file writes them')
  .option('--table <name>', 'name of the table, instead of the output TableName')
  .option('--secrets-key <arn>', 'KMS key over secrets, instead of the output SecretsKeyArn')
  .option(
    '--role <arn>',
    'role to work under, instead of the output OperatorRoleArn; without either the credentials as they are',
  )
  .option('--display-name <text>', 'name to show', 'Platform')
  .option('--region <region>', 'AWS region, where it is not that of the KMS key')
  .action(createPlatformKey);

async function createPlatformKey(options: KeyOptions): Promise<void> {
  const asked = { app_code: options.appCode, display_name: options.displayName };
  const { app_code, display_name } = integration.create.schema.shape;
  requireValid('--app-code', app_code.safeParse(asked.app_code).error);
  requireValid('--display-name', display_name.safeParse(asked.display_name).error);
  await workOn(await stackOf(options));

  const { id, secret } = await createPlatformIntegration(asked);
  console.log(JSON.stringify({ id, app_code: options.appCode, secret }, undefined, 2));
  console.error('Keep the secret now: it cannot be shown again.');
}

function requireValid(option: string, error: z.ZodError | undefined): void {
  if (error !== undefined) program.error(`${option} ${error.issues[0]?.message}`);
}

interface DeployedStack {
  readonly table: string;
  readonly secretsKey: string;
  readonly role: string | undefined;
  readonly region: string | undefined;
}

/** What is known of the stack: by option, else by its outputs. */
async function stackOf(options: KeyOptions): Promise<DeployedStack> {
  const outputs: Partial<Outputs> = options.outputs === undefined ? {} : await readOutputs(options.outputs);
  const { table = outputs.TableName, secretsKey = outputs.SecretsKeyArn, role = outputs.OperatorRoleArn } = options;
  if (table === undefined || secretsKey === undefined) {
    return program.error('Name the stack with --outputs, or with --table and --secrets-key.');
  }
  return { table, secretsKey, role, region: options.region ?? regionOf(secretsKey) };
}

const outputsSchema = z.object({ TableName: z.string(), SecretsKeyArn: z.string(), OperatorRoleArn: z.string() });
type Outputs = z.infer<typeof outputsSchema>;

async function readOutputs(file: string): Promise<Outputs> {
  const parsed = z.record(z.string(), outputsSchema).safeParse(JSON.parse(await readFile(file, 'utf8')));
  const [outputs, ...others] = Object.values(parsed.data ?? {});
  if (outputs !== undefined && others.length === 0) return outputs;
  return program.error(`--outputs must name a file with the outputs of one stack of Custodia; ${file} is none.`);
}

/** `arn:<partition>:kms:<region>:<account>:key/<id>` */
const regionOf = (arn: string): string | undefined => (arn.startsWith('arn:') ? arn.split(':')[3] : undefined);

/** Gives this process what the functions of the stack find in their environment. */
async function workOn({ table, secretsKey, role, region }: DeployedStack): Promise<void> {
  // A key file of this machine has no business in a deployed table.
  delete process.env.KEY_FILE;
  process.env.TABLE_NAME = table;
  process.env.SECRETS_KEY_ID = secretsKey;
  if (region !== undefined) process.env.AWS_REGION = region;
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

try {
  await program.parseAsync();
} catch (error) {
  const reason = error instanceof NotUnique ? 'An integration with this app code exists already.' : String(error);
  program.error(reason);
}
