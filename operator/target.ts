import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { type Command, Option } from 'commander';
import * as z from 'zod';
import { openDynamoDb, refuseWritesWhenFull } from '#local-dynamodb';
import { environmentTable, RequestSession } from '#table';
import { setFunctionEnvironment } from '../local/environment.ts';
import { keyOf, startObjectStore } from '../local/objects/index.ts';
import { IN_MEMORY, LOCAL_TABLE, readSettings } from '../local/settings.ts';
import { readResponse } from './aws.ts';
import { OperatorProblem } from './problem.ts';

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
 * @throws OperatorProblem, SetupError or an error of STS
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

/** The deployed stack that a command works on. Options take precedence over the stack's outputs. */

export interface StackOptions {
  readonly outputs?: string;
  readonly table?: string;
  readonly secretsKey?: string;
  readonly role?: string;
  readonly region?: string;
}

const dataSchema = z.object({
  TableName: z.string(),
  SecretsKeyArn: z.string(),
  /** Stacks of earlier releases lack it. */
  AttachmentsUrl: z.string().optional(),
  /** Set only where the stage makes daily backups. */
  BackupVaultName: z.string().optional(),
});
const applicationSchema = z.object({
  OperatorRoleArn: z.string(),
  // Stacks of earlier releases lack some.
  MaintenanceRoleArn: z.string().optional(),
  ExportRoleArn: z.string().optional(),
  ErasureRoleArn: z.string().optional(),
  ReplayRoleArn: z.string().optional(),
  CutOffRoleArn: z.string().optional(),
  SupportRoleArn: z.string().optional(),
  TicketWords: z.enum(['on', 'off']).optional(),
});
const apiSchema = z.object({ BaseUrl: z.string().optional() });
type Outputs = z.infer<typeof dataSchema> & z.infer<typeof applicationSchema> & z.infer<typeof apiSchema>;
export type RoleOutput = Extract<keyof Outputs, `${string}RoleArn`>;

/** Gives a command the options that name a stack. `secrets`: also the option for its key of secrets. */
export const withStackOptions = (command: Command, roleOutput: RoleOutput, secrets: boolean): Command => {
  const described = command
    .option('--outputs <file>', 'outputs of the stacks, as cdk deploy --outputs-file writes them')
    .option('--table <name>', 'name of the table, instead of the output TableName')
    .option(
      '--role <arn>',
      `role to work under, instead of the output ${roleOutput}; without either the credentials as they are`,
    )
    .option('--region <region>', 'AWS region, where it is not that of the KMS key');
  return secrets
    ? described.option('--secrets-key <arn>', 'KMS key over secrets, instead of the output SecretsKeyArn')
    : described;
};

export interface DeployedStack {
  /** Prefix of the stage, with which the names of its log groups begin; undefined without outputs. */
  readonly name: string | undefined;
  readonly table: string | undefined;
  readonly secretsKey: string | undefined;
  readonly role: string | undefined;
  readonly region: string | undefined;
  /** The address in front of `/api/v1`. */
  readonly baseUrl: string | undefined;
  /** The vault of its daily backups; undefined where it makes none, or without outputs. */
  readonly backupVault: string | undefined;
  /**
   * Whether its functions write the words of tickets; undefined without outputs: they do, or as `TICKET_WORDS` says.
   */
  readonly ticketWords: 'on' | 'off' | undefined;
  /** The address of its bucket; undefined without outputs. */
  readonly attachmentsUrl: string | undefined;
}

/** @throws OperatorProblem when the file has no outputs, or they name no such role */
export async function stackOf(options: StackOptions, roleOutput: RoleOutput): Promise<DeployedStack> {
  const { name, outputs }: Named = options.outputs === undefined ? NOTHING : await readOutputs(options.outputs);
  const { table = outputs.TableName, secretsKey = outputs.SecretsKeyArn, role = outputs[roleOutput] } = options;
  if (options.outputs !== undefined && role === undefined) {
    throw new OperatorProblem(
      `${options.outputs} names no ${roleOutput}: deploy this release first, or name a --role.`,
    );
  }
  const {
    BaseUrl: baseUrl,
    BackupVaultName: backupVault,
    TicketWords: ticketWords,
    AttachmentsUrl: attachmentsUrl,
  } = outputs;
  const region = options.region ?? regionOf(secretsKey);
  return { name, table, secretsKey, role, region, baseUrl, backupVault, ticketWords, attachmentsUrl };
}

interface Named {
  readonly name: string | undefined;
  readonly outputs: Partial<Outputs>;
}
const NOTHING: Named = { name: undefined, outputs: {} };

async function readOutputs(file: string): Promise<Named> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new OperatorProblem(`${file} cannot be read: cdk deploy --outputs-file writes it.`, { cause });
  });
  // The file also names stacks that were deployed on the way.
  const outputs = z.record(z.string(), z.unknown()).safeParse(parsed(text)).data ?? {};
  const stages = Object.keys(outputs).flatMap((name) => {
    const data = dataSchema.safeParse(outputs[`${name}-data`]).data;
    const application = applicationSchema.safeParse(outputs[name]).data;
    // Missing while only the others are deployed.
    const api = apiSchema.safeParse(outputs[`${name}-api`]).data;
    return data === undefined || application === undefined
      ? []
      : [{ name, outputs: { ...api, ...application, ...data } }];
  });
  const [found, ...others] = stages;
  if (found !== undefined && others.length === 0) return found;
  throw new OperatorProblem(`--outputs must name a file with the outputs of one stage of Custodia; ${file} is none.`);
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** `arn:<partition>:kms:<region>:<account>:key/<id>` */
const regionOf = (arn = ''): string | undefined => (arn.startsWith('arn:') ? arn.split(':')[3] : undefined);

/** Gives this process the environment of a stack's functions. */
export function setStackEnvironment(
  table: string,
  {
    region,
    ticketWords,
    attachmentsUrl = '',
  }: Partial<Pick<DeployedStack, 'region' | 'ticketWords' | 'attachmentsUrl'>>,
): void {
  // A deployed table does not use the key file of this machine.
  delete process.env.KEY_FILE;
  delete process.env.TENANT_ROLE_ARN;
  process.env.TABLE_NAME = table;
  process.env.ATTACHMENTS_URL = attachmentsUrl;
  if (region !== undefined) process.env.AWS_REGION = region;
  if (ticketWords !== undefined) process.env.TICKET_WORDS = ticketWords;
}

/**
 * Makes this process work on the data of `npm start`, whether or not that runs. `DATA_DIR` and `DYNAMODB_ENDPOINT` have
 * the same meaning.
 * @returns a function that releases the data
 * @throws OperatorProblem, LocalApiError or EmbeddedDynamoDbError
 */
export async function openLocalData(): Promise<() => Promise<void>> {
  const { dataDir, dynamoDbEndpoint, ticketWords } = readSettings(process.env);
  const keyFile = join(dataDir, 'keys.json');
  const workAt = (endpoint: string, attachmentsUrl?: string): void => {
    const given = { ticketWords, attachmentsUrl };
    setFunctionEnvironment({ tableName: LOCAL_TABLE, endpoint, keyFile, firstKey: false, ...given });
  };
  if (dynamoDbEndpoint !== undefined) {
    workAt(dynamoDbEndpoint);
    return async () => undefined;
  }
  if (dataDir === IN_MEMORY) {
    throw new OperatorProblem(
      'What is kept in memory is found by its address alone: set DYNAMODB_ENDPOINT to the one that npm start prints.',
    );
  }
  if (!existsSync(dataDir)) {
    throw new OperatorProblem(`There is no data directory ${resolve(dataDir)}: set DATA_DIR to that of npm start.`);
  }
  const { endpoint, stop } = await openDynamoDb(dataDir);
  const objects = await startObjectStore({ directory: join(dataDir, 'objects'), secretOf: keyOf(() => endpoint) });
  workAt(endpoint, objects.url);
  refuseWritesWhenFull(environmentTable(), dataDir);
  return async () => {
    await objects[Symbol.asyncDispose]();
    await stop();
  };
}
