import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { type Command, Option } from 'commander';
import * as z from 'zod';
import { RequestSession } from '#table';
import { openLocalData } from './local-data.ts';
import { OperatorProblem } from './problem.ts';
import { readResponse } from './response.ts';
import {
  type DeployedStack,
  type RoleOutput,
  type StackOptions,
  setStackEnvironment,
  stackOf,
  withStackOptions,
} from './stack.ts';

/**
 * Where a command works: on a deployed stage, under the role that it needs, or on the data of `npm start`.
 */

export interface TargetOptions extends StackOptions {
  readonly local?: true;
}

/** Gives a command the options that name a stage or the data of `npm start`. */
export const withTarget = (command: Command, role: RoleOutput, secrets: boolean): Command =>
  withStackOptions(command, role, secrets).addOption(
    new Option('--local', 'the data of npm start instead of a stage; takes DATA_DIR and DYNAMODB_ENDPOINT').conflicts([
      'outputs',
      'table',
      'role',
      'region',
      'secretsKey',
    ]),
  );

/**
 * Makes this process work on the stage or the local data.
 * @returns a function that releases it
 * @throws OperatorProblem, LocalApiError, EmbeddedDynamoDbError or an error of STS
 */
export async function openTarget(
  options: TargetOptions,
  role: RoleOutput,
  { secrets = false } = {},
): Promise<AsyncDisposable> {
  const opened = new AsyncDisposableStack();
  if (options.local) opened.defer(await openLocalData());
  else await workOnStack(options, role, secrets);
  return opened;
}

/**
 * Makes this process read the logs and backups of a deployed stage.
 * @throws OperatorProblem without outputs, or an error of STS
 */
export async function openStage(
  options: StackOptions,
  role: RoleOutput,
): Promise<DeployedStack & { readonly name: string; readonly table: string }> {
  const stack = await workOnStack(options, role, false);
  const { name, table } = stack;
  if (name === undefined || table === undefined) {
    throw new OperatorProblem('Name the stage with --outputs, the file that cdk deploy --outputs-file writes.');
  }
  return { ...stack, name, table };
}

async function workOnStack(
  options: StackOptions,
  roleOutput: RoleOutput,
  needsSecrets: boolean,
): Promise<DeployedStack> {
  const stack = await stackOf(options, roleOutput);
  const { table, secretsKey, role } = stack;
  if (table === undefined || (needsSecrets && secretsKey === undefined)) {
    const named = needsSecrets ? 'or with --table and --secrets-key' : 'or --table';
    throw new OperatorProblem(`Name the stack with --outputs ${named}, or the data of npm start with --local.`);
  }
  setStackEnvironment(table, stack);
  if (needsSecrets) process.env.SECRETS_KEY_ID = secretsKey;
  if (role === undefined) return stack;
  // Some roles are for the platform or the stage. The tenant handle assumes the others, for the one tenant that a
  // command works for.
  if (OF_STAGE.includes(roleOutput)) await workUnder(role);
  else process.env.TENANT_ROLE_ARN = role;
  return stack;
}

const OF_STAGE: readonly RoleOutput[] = ['OperatorRoleArn', 'SupportRoleArn'];

const sessionSchema = z.object({
  Credentials: z.object({ AccessKeyId: z.string(), SecretAccessKey: z.string(), SessionToken: z.string() }),
});

async function workUnder(role: string): Promise<void> {
  const { AccessKeyId, SecretAccessKey, SessionToken } = await assume(role);
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: AccessKeyId,
    AWS_SECRET_ACCESS_KEY: SecretAccessKey,
    AWS_SESSION_TOKEN: SessionToken,
  });
  // A profile would take precedence over them.
  delete process.env.AWS_PROFILE;
}

async function assume(role: string) {
  const command = new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 'custodia-operator', DurationSeconds: 900 });
  return readResponse('sts AssumeRole', sessionSchema, await new STSClient().send(command)).Credentials;
}

/** Deadline of looking an organization up, in milliseconds. */
const TIMEOUT_MS = 60_000;

/**
 * A session that reads the list of organizations, and whose app codes are, of the target that is open: under the
 * stack's support role, where outputs name it, else with the rights of the command itself.
 * @throws OperatorProblem when the outputs name no such role, or an error of STS
 */
export async function openDirectory({ role: _, ...options }: TargetOptions): Promise<RequestSession> {
  const { role } = options.local ? {} : await stackOf(options, 'SupportRoleArn');
  if (role === undefined) return RequestSession.ofEnvironment(TIMEOUT_MS);
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = await assume(role);
  return RequestSession.withRightsOf({ accessKeyId, secretAccessKey, sessionToken }, TIMEOUT_MS);
}
