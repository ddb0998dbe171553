import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as z from 'zod';
import { ORIGINS, originsOf } from '#contract';
import { boundary, flag, generations, principals, vaults, warmThroughput, whole } from './setting-kinds.ts';

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
 * (`applyStageFile`).
 */
const schema = z.object({
  /** Name of the stage; part of the stack's name and of the base address. */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, 'a lower-case word of up to 20 letters, digits and hyphens')
    .regex(
      /^(?!.*-(data|ops|github)$)/,
      'a word that does not end with -data, -ops or -github, as stacks of other stages do',
    )
    .default(DEFAULT_STAGE),
  /** What a stage has before anybody calls, and the defaults of `deployment` and `deliveryConcurrency`. */
  profile: z.enum(['standard', 'small']).default('standard'),
  /** Whether the first integration of a new organization may be created without a token (`docs/decisions/0006`). */
  firstKey: flag(false),
  /**
   * Generations of the key that signs tokens, the signing one first. To rotate: `1,2` publishes the next one, `2,1`
   * signs with it, `2` deletes the old one (`docs/decisions/0010-access-tokens.md`).
   */
  tokenKeys: generations().default(['1']),
  /**
   * A custom domain of the stage, `api.example.com`, and its certificate in AWS Certificate Manager, in the stack's
   * region. Without them the stage has only API Gateway's own address.
   */
  domainName: z
    .string()
    .max(253)
    .regex(
      /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
      'a domain name in lower case, without a scheme or path',
    )
    .optional(),
  certificateArn: z
    .string()
    .regex(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'the ARN of a certificate of AWS Certificate Manager')
    .optional(),
  /**
   * Origins whose pages may call the API from a browser, `https://app.example.com,http://localhost:5173`, or `*` for
   * all (`docs/decisions/0134-http.md`). Pages of all origins may always read what needs no credentials.
   */
  corsOrigins: z
    .string()
    .transform(originsOf)
    .refine((origins) => origins !== undefined, ORIGINS)
    .transform((origins) => origins ?? [])
    .default([]),
  /** Mail address for alarms; without it they show only in the console. */
  alarmEmail: z.email().optional(),
  /** An existing topic in the stack's region, for pagers: alarms also go there (`docs/operations.md#alarms`). */
  alarmTopicArn: z
    .string()
    .regex(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256}$/, 'the ARN of a topic of Amazon SNS, and of no FIFO one')
    .optional(),
  /** Keeps table, secrets key and logs when the stack is deleted. */
  deletionProtection: flag(true),
  /**
   * Refuses to delete the stack of the table and the keys. For existing stages only: `cdk` switches it on before it
   * creates anything, and could then not delete a first deployment that failed.
   */
  terminationProtection: flag(false),
  /** One of the periods that CloudWatch offers: 30, 60, 90, 365 … */
  logRetentionDays: whole(1, 3653)
    .refine((days) => RETENTIONS.includes(days), 'not a period that CloudWatch knows')
    .default(90),
  /** Requests per second of each route over all callers; the burst is twice as much. */
  throttleRate: whole(1, 10_000).default(500),
  /** Requests a minute of an integration without its own limit; a tenant's are ten times as many. */
  rateLimit: whole(1, 1_000_000).default(600),
  /**
   * How long the gateway caches a response of the authorizer, in seconds. For that time a revoked key still reads,
   * writes and deletes (`docs/security.md`).
   */
  authorizerCacheSeconds: whole(0, 300).default(60),
  /**
   * How far the time of a webhook's event may be from the current time, in seconds. Default: no limit
   * (`docs/webhooks.md`).
   */
  webhookToleranceSeconds: whole(1, 2_592_000).optional(),
  /** An existing web ACL of the account, used instead of the stage's own firewall. */
  webAclArn: z
    .string()
    .regex(
      /^arn:[\w-]+:wafv2:[\w-]+:\d{12}:regional\/webacl\/[\w-]+\/[\da-f-]{36}$/,
      'the ARN of a web ACL of AWS WAF, of the stack’s region',
    )
    .optional(),
  /**
   * Requests of one network address in five minutes; the firewall refuses more, and more than a tenth of them that
   * anybody can send: logins, reads of the documentation.
   */
  addressLimit: whole(10, 2_000_000_000).default(10_000),
  /**
   * Days for which audit events are kept. The counter item of an expiring list marks each day: more than about three
   * years would make every event expensive.
   */
  auditRetentionDays: whole(1, 1_100).default(400),
  /** How many wake-ups of deliveries are worked on at once, at most: each takes an execution of the account. */
  deliveryConcurrency: whole(2, 1_000).optional(),
  /**
   * Whether new tickets are found by words (`q`): with `off`, a ticket costs up to 24 write units less
   * (`docs/deployment.md#tickets-without-words`).
   */
  ticketWords: flag(true),
  /** Memory of a function behind the gateway in MB, which also decides its share of a CPU. */
  memory: whole(128, 10_240).default(1_024),
  /**
   * Name of a table that was restored from the stage's own and replaces it
   * (`docs/operations.md#restore-to-a-point-in-time`).
   */
  restoredTable: z
    .string()
    .regex(/^[\w.-]{3,255}$/, 'the name of a DynamoDB table')
    .optional(),
  /**
   * ARN of the stream of that table, which a restored table does not have until somebody enables it. Without it,
   * deliveries of events wait for the schedule.
   */
  restoredTableStreamArn: z
    .string()
    .regex(
      /^arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/[\w.:-]+$/,
      'the ARN of a stream of a DynamoDB table',
    )
    .optional(),
  /**
   * ARN of the key of secrets that the stage had before, or of its replica in this region, used instead of a new one
   * (`docs/operations.md#the-region-is-lost`). The stack then does not set its policy.
   */
  secretsKeyArn: z
    .string()
    .regex(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/mrk-[0-9a-f]{32}$/, 'the ARN of a multi-region key of KMS')
    .optional(),
  /**
   * The key that encrypts the table: one that AWS owns, or one of the stage's own, which is charged by use
   * (`docs/cost.md`). It can be changed at any time.
   */
  tableKey: z.enum(['aws-owned', 'customer']).default('aws-owned'),
  /**
   * Read and write units a second that the table takes at once, before it has grown by use: `24000:8000`. Charged once;
   * it cannot be lowered (`docs/deployment.md#warm-throughput`). Default: what AWS gives a new table.
   */
  warmThroughput: warmThroughput(),
  /** Days for which a daily backup of the table is kept in AWS Backup. Default: no backups. */
  backupRetentionDays: whole(1, 36_500).optional(),
  /**
   * Vaults of AWS Backup to which each daily backup is copied, in other regions or accounts: their ARNs, with commas
   * between.
   */
  backupCopyVaults: vaults(),
  /**
   * How new versions of the functions take over: `all-at-once`, or `canary`, which gives them a tenth of the calls for
   * five minutes and rolls back when alarms are raised (`docs/decisions/0100-deploying.md`). Default: the stage `dev`
   * and the profile `small` deploy all at once, other stages by canary.
   */
  deployment: z.enum(['all-at-once', 'canary']).optional(),
  /**
   * Who may assume the roles of operators, if IAM of their account also allows it: ARNs of roles and users, separated
   * by commas, with `*` for any part of a name. Default: everybody of the account whom its IAM allows to
   * (`docs/decisions/0098-command-line.md`).
   */
  operatorPrincipals: principals(),
  /** Whether the sessions of operators need a second factor. */
  requireMfa: flag(false),
  /** The managed policy that is the permissions boundary of all roles of the stacks. */
  permissionsBoundaryArn: boundary(),
  /**
   * Whether the app has a stack that sets the account's role for API Gateway's logs. Off by default, because it
   * replaces the existing role, whoever set it (`docs/decisions/0162-stacks.md`).
   */
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
