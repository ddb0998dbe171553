import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import * as z from 'zod';
import { OperatorProblem } from './problem.ts';

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
  BaseUrl: z.string().optional(),
  TicketWords: z.enum(['on', 'off']).optional(),
});
type Outputs = z.infer<typeof dataSchema> & z.infer<typeof applicationSchema>;
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
  /** Name of the stack, a prefix of the names of its log groups; undefined without outputs. */
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
  const { BaseUrl: baseUrl, BackupVaultName: backupVault, TicketWords: ticketWords } = outputs;
  const region = options.region ?? regionOf(secretsKey);
  return { name, table, secretsKey, role, region, baseUrl, backupVault, ticketWords };
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
    return data === undefined || application === undefined ? [] : [{ name, outputs: { ...application, ...data } }];
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
  { region, ticketWords }: Partial<Pick<DeployedStack, 'region' | 'ticketWords'>>,
): void {
  // A deployed table does not use the key file of this machine.
  delete process.env.KEY_FILE;
  delete process.env.TENANT_ROLE_ARN;
  process.env.TABLE_NAME = table;
  if (region !== undefined) process.env.AWS_REGION = region;
  if (ticketWords !== undefined) process.env.TICKET_WORDS = ticketWords;
}
