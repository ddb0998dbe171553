import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as z from 'zod';
import { ORIGINS, originsOf } from '#contract';

/** The retentions of logs that CloudWatch offers, in days. */
const RETENTIONS: readonly number[] = Object.values(RetentionDays).filter(
  (days): days is number => typeof days === 'number' && days <= 3653,
);

/**
 * The profiles (`docs/cost.md#a-month`). `standard` is for stages that somebody relies on; `small` is for trials and
 * hobbies, where idle resources are most of the bill: it has no firewall, no heartbeat and no dashboard, and alarms on
 * ten metrics at most. They also choose defaults.
 */
const PROFILES = {
  standard: { deployment: 'canary', deliveryConcurrency: 50 },
  // A new account may have no more than ten executions.
  small: { deployment: 'all-at-once', deliveryConcurrency: 5 },
} as const;

export const DEFAULT_STAGE = 'dev';

/**
 * The settings of a stage, from CDK context: `-c stage=prod -c alarmEmail=ops@example.com`, or from its file
 * (`applyStageFile`). `docs/deployment.md#settings` says what each means.
 */
const schema = z.object({
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, 'a lower-case word of up to 20 letters, digits and hyphens')
    .regex(
      /^(?!.*-(data|api|ops|github)$)/,
      'a word that does not end with -data, -api, -ops or -github, as stacks of other stages do',
    )
    .default(DEFAULT_STAGE),
  profile: z.enum(['standard', 'small']).default('standard'),
  /** `docs/decisions/0006` */
  firstKey: flag(false),
  /** `1,2` publishes the next key, `2,1` signs with it, `2` deletes the old one (`docs/decisions/0010`). */
  tokenKeys: generations().default(['1']),
  domainName: text(
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'a domain name in lower case, without a scheme or path',
  ),
  certificateArn: text(
    /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/,
    'the ARN of a certificate of AWS Certificate Manager',
  ),
  /** Pages of all origins may always read what needs no credentials. */
  corsOrigins: z
    .string()
    .transform(originsOf)
    .refine((origins) => origins !== undefined, ORIGINS)
    .transform((origins) => origins ?? [])
    .default([]),
  alarmEmail: z.email().optional(),
  alarmTopicArn: text(
    /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256}$/,
    'the ARN of a topic of Amazon SNS, and of no FIFO one',
  ),
  deletionProtection: flag(true),
  /** `cdk` switches it on before it creates anything, and could then not delete a first deployment that failed. */
  terminationProtection: flag(false),
  logRetentionDays: whole(1, 3653)
    .refine((days) => RETENTIONS.includes(days), 'not a period that CloudWatch knows')
    .default(90),
  throttleRate: whole(1, 10_000).default(500),
  rateLimit: whole(1, 1_000_000).default(600),
  /** For that time a revoked key still reads, writes and deletes (`docs/security.md`). */
  authorizerCacheSeconds: whole(0, 300).default(60),
  webhookToleranceSeconds: whole(1, 2_592_000).optional(),
  webAclArn: text(
    /^arn:[\w-]+:wafv2:[\w-]+:\d{12}:regional\/webacl\/[\w-]+\/[\da-f-]{36}$/,
    'the ARN of a web ACL of AWS WAF, of the stack’s region',
  ),
  addressLimit: whole(10, 2_000_000_000).default(10_000),
  /** The counter item of an expiring list marks each day: more than three years would make every event expensive. */
  auditRetentionDays: whole(1, 1_100).default(400),
  deliveryConcurrency: whole(2, 1_000).optional(),
  ticketWords: flag(true),
  attachmentQuotaGb: whole(1, 1_000_000).default(10),
  /** It also decides a function's share of a CPU. */
  memory: whole(128, 10_240).default(1_024),
  restoredTable: text(/^[\w.-]{3,255}$/, 'the name of a DynamoDB table'),
  restoredTableStreamArn: text(
    /^arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/[\w.:-]+$/,
    'the ARN of a stream of a DynamoDB table',
  ),
  /** The stack does not set the policy of this key. */
  secretsKeyArn: text(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/mrk-[0-9a-f]{32}$/, 'the ARN of a multi-region key of KMS'),
  /** It can be changed at any time. */
  tableKey: z.enum(['aws-owned', 'customer']).default('aws-owned'),
  /** It cannot be lowered (`docs/deployment.md#warm-throughput`). */
  warmThroughput: warmThroughput(),
  backupRetentionDays: whole(1, 36_500).optional(),
  backupCopyVaults: arns(/^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/, 'ARNs of vaults of AWS Backup'),
  deployment: z.enum(['all-at-once', 'canary']).optional(),
  operatorPrincipals: arns(/^arn:[\w-]+:iam::\d{12}:(role|user)\/[\w+=.@/*-]+$/, 'ARNs of roles and users of IAM'),
  requireMfa: flag(false),
  permissionsBoundaryArn: boundary(),
  /** Off by default, because it replaces the existing role, whoever set it (`docs/decisions/0162-stacks.md`). */
  gatewayLogRole: flag(false),
});

/** Checks of several settings together. */
const consistent = schema
  .refine(({ domainName, certificateArn }) => (domainName === undefined) === (certificateArn === undefined), {
    path: ['domainName, certificateArn'],
    message: 'both or neither',
  })
  .refine(({ restoredTable, deletionProtection }) => restoredTable === undefined || deletionProtection, {
    path: ['restoredTable'],
    message: 'needs deletionProtection, in the deployment before already: else the present table is deleted',
  })
  .refine(
    ({ restoredTable, restoredTableStreamArn: stream }) =>
      stream === undefined || stream.includes(`:table/${restoredTable}/stream/`),
    { path: ['restoredTableStreamArn'], message: 'is not of the table that restoredTable names' },
  )
  .refine(({ restoredTable, warmThroughput }) => restoredTable === undefined || warmThroughput === undefined, {
    path: ['warmThroughput'],
    message: 'is of the stack’s own table, and restoredTable is not: set it with aws dynamodb update-table',
  })
  .refine(({ secretsKeyArn, deletionProtection }) => secretsKeyArn === undefined || deletionProtection, {
    path: ['secretsKeyArn'],
    message: 'needs deletionProtection, in the deployment before already: else the present key is deleted',
  })
  .refine(
    ({ backupCopyVaults, backupRetentionDays }) => backupCopyVaults.length === 0 || backupRetentionDays !== undefined,
    {
      path: ['backupCopyVaults'],
      message: 'needs backupRetentionDays: without it there is nothing to copy',
    },
  )
  .transform(withDefaults);

export type Settings = z.infer<typeof consistent>;

function withDefaults(given: z.infer<typeof schema>) {
  const profile = PROFILES[given.profile];
  return {
    ...given,
    deliveryConcurrency: given.deliveryConcurrency ?? profile.deliveryConcurrency,
    deployment: given.deployment ?? (given.stage === DEFAULT_STAGE ? 'all-at-once' : profile.deployment),
  };
}

/** Names of the settings. */
export const SETTINGS: readonly string[] = Object.keys(schema.shape);

/** @throws Error naming every setting that is wrong */
export const settingsFrom = (node: Node): Settings =>
  parsedContext(node, SETTINGS, consistent, 'These CDK context values cannot be used:');

/**
 * The values of a CDK context with these names.
 * @throws Error that begins with `complaint` and names every value that is wrong
 */
export function parsedContext<T>(node: Node, names: readonly string[], as: z.ZodType<T>, complaint: string): T {
  const parsed = as.safeParse(Object.fromEntries(names.map((name) => [name, node.tryGetContext(name) as unknown])));
  if (parsed.success) return parsed.data;
  const findings = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`${complaint}\n${findings.join('\n')}`);
}

/** The settings of a stage that are under version control: `stages/prod.json` has those of the stage `prod`. */
const STAGES = join(import.meta.dirname, '../stages');

/** The file's name is the stage's name. */
const KNOWN = new Set(SETTINGS.filter((name) => name !== 'stage'));

const fileSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/**
 * Applies the settings of the stage's file, where there is one. `-c name=value` and the `context` of `cdk.json` take
 * precedence.
 * @param directory of the files
 * @throws Error that says what is wrong with the file
 */
export function applyStageFile(app: Node, directory = STAGES): void {
  const stage = String(app.tryGetContext('stage') ?? DEFAULT_STAGE);
  const file = join(directory, `${stage}.json`);
  // The reader of the settings refuses a name that cannot be a stage's.
  if (!/^[\w-]+$/.test(stage) || !existsSync(file)) return;
  for (const [name, value] of Object.entries(settingsIn(file))) {
    if (app.tryGetContext(name) === undefined) app.setContext(name, value);
  }
}

function settingsIn(file: string): z.infer<typeof fileSchema> {
  const parsed = fileSchema.safeParse(jsonIn(file));
  if (!parsed.success)
    throw new Error(`${file} must be an object of texts, numbers and booleans, as after -c name=value`);
  const unknown = Object.keys(parsed.data).filter((name) => !KNOWN.has(name));
  if (unknown.length > 0) throw new Error(`${file} has what is no setting: ${unknown.join(', ')}`);
  return parsed.data;
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file} cannot be read as JSON`, { cause });
  }
}

/** The kinds of settings: how the text of a setting is read. */

/** On the command line every context value is a string. */
function flag(standard: boolean) {
  return z.union([z.boolean(), z.stringbool()]).default(standard);
}

/** On the command line `2,1`; in `cdk.json` it may be a number. */
function generations() {
  return z.coerce
    .string()
    .regex(/^[1-9]\d{0,5}(,[1-9]\d{0,5})?$/, 'one or two different whole numbers from 1 on, with a comma between')
    .transform((text) => text.split(',') as [signing: string, ...others: string[]])
    .refine((names) => new Set(names).size === names.length, 'the same number twice');
}

/**
 * Read and write units a second, `24000:8000`: at least what a new table on demand has.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html
 */
function warmThroughput() {
  return z
    .string()
    .regex(/^[1-9]\d{0,8}:[1-9]\d{0,8}$/, 'read and write units a second, as in 24000:8000')
    .transform((text) => {
      const [readUnitsPerSecond = 0, writeUnitsPerSecond = 0] = text.split(':').map(Number);
      return { readUnitsPerSecond, writeUnitsPerSecond };
    })
    .refine(
      ({ readUnitsPerSecond, writeUnitsPerSecond }) => readUnitsPerSecond >= 12_000 && writeUnitsPerSecond >= 4_000,
      'less than a new table has, which is 12000:4000',
    )
    .optional();
}

function text(form: RegExp, what: string) {
  return z.string().regex(form, what).optional();
}

/** ARNs with commas between. */
function arns(form: RegExp, what: string) {
  return z
    .string()
    .transform((text) => text.split(','))
    .refine((all) => all.every((arn) => form.test(arn)), { message: `${what}, with commas between` })
    .default([]);
}

/** Also a setting of the roles of the pipeline (`github-roles.ts`). */
export function boundary() {
  return text(/^arn:[\w-]+:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/, 'the ARN of a managed policy of IAM');
}

function whole(least: number, most: number) {
  return z.coerce.number().int().min(least).max(most);
}
