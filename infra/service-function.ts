import { readdirSync } from 'node:fs';
import { AssetHashType, type Duration, FileSystem, Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  type RecursiveLoop,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { EMPTY_KEYS } from '#table';
import { CODE_CACHE } from './bundling/script.ts';
import type { Keys } from './keys.ts';
import { metricsNamespace } from './metrics.ts';
import { type Rights, readsTable } from './rights.ts';
import {
  ANY_APP,
  ANY_BACKLOG,
  ANY_CREDENTIALS,
  ANY_LOGIN_FAILURE,
  ANY_SIGN_IN_NAME,
  ANY_SUSPENSION,
  ANY_USER_ACCESS,
  allowItems,
  HELD_REGISTER,
  type OnItems,
  REGISTER,
} from './roles/item-policy.ts';
import { type KeyPurpose, RoleWithRights, rolePath } from './roles/role.ts';
import type { Settings } from './settings.ts';
import { logGroup, prefixOf } from './stacks/stage-stack.ts';
import type { TableReference } from './table.ts';

export interface ServiceFunctionProps {
  readonly name: string;
  /** Directory whose `index.mjs` exports `handler`. */
  readonly bundle: string;
  readonly rights: Rights;
  readonly table: TableReference;
  readonly keys: Keys;
  readonly settings: Settings;
  readonly timeout: Duration;
  /** In MB. */
  readonly memorySize: number;
  /** Whether Lambda stops it where it seems to call itself without an end; its default is that it does. */
  readonly recursiveLoop?: RecursiveLoop;
  /** Why Lambda itself has no queue for its failed calls. */
  readonly noDeadLetters: string;
}

/** Why cdk-nag's rule for traces does not hold. */
export const NO_TRACES =
  'Tracing costs by the request, and the access log has the latencies already (`docs/decisions/0105-request-logs.md`).';

const keyPurpose = ({ signs, verifies }: Rights): KeyPurpose => (signs ? 'sign' : verifies ? 'verify' : 'no-key');

/**
 * A Lambda function with its log group and a role that has only its rights. Whoever calls it uses its alias, which a
 * deployment moves to the version that it publishes.
 */
export class ServiceFunction extends Construct {
  readonly role: Role;
  readonly lambda: LambdaFunction;
  readonly alias: FunctionAlias;
  readonly rights: Rights;
  readonly logs: ILogGroup;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { name, bundle, rights, table, keys, settings, timeout, memorySize, recursiveLoop, noDeadLetters } = props;
    this.rights = rights;
    this.logs = logGroup(this, 'Logs', settings);
    this.role = new RoleWithRights(this, 'Role', {
      description: `Custodia ${settings.stage}: runs ${name}`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      path: rolePath(this, keyPurpose(rights), rights.tenants ?? 'no-tenants'),
    });
    this.#allow(table, keys);
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName: functionNameOf(this, name),
      ...NODE,
      code: functionCode(bundle),
      timeout,
      memorySize,
      role: this.role,
      logGroup: this.logs,
      environment: { ...environmentOf(rights, table, keys, settings), METRICS_NAMESPACE: metricsNamespace(this) },
      ...(recursiveLoop === undefined ? {} : { recursiveLoop }),
    });
    Validations.of(this.lambda).acknowledge(
      { id: 'Serverless-LambdaDLQ', reason: noDeadLetters },
      { id: 'Serverless-LambdaTracing', reason: NO_TRACES },
    );
    this.alias = liveAlias(new Construct(this, 'Live'), this.lambda);
  }

  /** Lets the function also work under this role, in sessions for one tenant each. `TENANT_ROLE_ARN` names the role. */
  workUnder(tenantRole: Role): void {
    this.lambda.addEnvironment('TENANT_ROLE_ARN', tenantRole.roleArn);
    this.role.addToPolicy(
      new PolicyStatement({ actions: ['sts:AssumeRole', 'sts:TagSession'], resources: [tenantRole.roleArn] }),
    );
  }

  #allow(table: TableReference, keys: Keys): void {
    this.role.addToPolicy(mayWriteTo(this.logs));
    for (const [right, onItems] of Object.entries(ON_ITEMS))
      if (this.rights[right as keyof Rights]) this.role.addToPolicy(allowItems(table, ...onItems));
    if (readsTable(this.rights)) this.role.addToPolicy(allowItems(table, ['GetItem'], [EMPTY_KEYS.warmStart.PK]));
    if (this.rights.signs) keys.allowSigning(this.role);
    if (this.rights.verifies) keys.allowVerifying(this.role);
  }
}

/** What a function's own rights allow it on the table, outside of a tenant's session. */
const ON_ITEMS: Readonly<Partial<Record<keyof Rights, OnItems>>> = {
  findsApps: [['GetItem'], [ANY_APP]],
  findsOrganizations: [['GetItem'], [ANY_SIGN_IN_NAME, ...ANY_USER_ACCESS]],
  readsCredentials: [['GetItem'], ANY_CREDENTIALS],
  readsUserAccess: [['GetItem'], ANY_USER_ACCESS],
  seesSuspensions: [['GetItem'], [ANY_SUSPENSION]],
  countsLoginFailures: [['GetItem', 'UpdateItem'], [ANY_LOGIN_FAILURE]],
  readsRegister: [['Query'], [REGISTER]],
  tidiesRegister: [['DeleteItem'], [REGISTER]],
  takesHeldAlerts: [['Query', 'DeleteItem'], [HELD_REGISTER]],
  readsBacklogs: [['GetItem', 'BatchGetItem'], ANY_BACKLOG],
  checksHealth: [['GetItem'], [EMPTY_KEYS.health.PK]],
};

/** How every function runs. */
export const NODE = {
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  handler: 'index.handler',
  loggingFormat: LoggingFormat.JSON,
} as const;

export const mayWriteTo = ({ logGroupArn }: ILogGroup): PolicyStatement =>
  new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroupArn] });

/** The environment that the handlers read, with the keys that the function may use. */
const environmentOf = (
  rights: Rights,
  table: TableReference,
  { tokens: [signing, ...others], secrets }: Keys,
  settings: Settings,
): Readonly<Record<string, string>> => ({
  TABLE_NAME: table.tableName,
  STAGE: settings.stage,
  FIRST_KEY: settings.firstKey ? 'on' : 'off',
  RATE_LIMIT: String(settings.rateLimit),
  AUDIT_RETENTION_DAYS: String(settings.auditRetentionDays),
  ...(settings.webhookToleranceSeconds === undefined
    ? {}
    : { WEBHOOK_TOLERANCE_SECONDS: String(settings.webhookToleranceSeconds) }),
  ...(settings.corsOrigins.length === 0 ? {} : { CORS_ORIGINS: settings.corsOrigins.join() }),
  ATTACHMENT_QUOTA: String(settings.attachmentQuotaGb * 1_073_741_824),
  ...(settings.ticketWords ? {} : { TICKET_WORDS: 'off' }),
  POWERTOOLS_SERVICE_NAME: 'custodia',
  ...(rights.signs || rights.verifies ? { SIGNING_KEY_ID: signing.keyArn } : {}),
  ...(rights.verifies ? { VERIFICATION_KEY_IDS: others.map(({ keyArn }) => keyArn).join() } : {}),
  ...(rights.secrets || rights.endpointSecrets ? { SECRETS_KEY_ID: secrets.keyArn } : {}),
});

/** Under `exactOptionalPropertyTypes`, CDK's classes do not match its interfaces, so the type names both. */
export type FunctionAlias = Alias & IFunction;

const LIVE = 'live';

/** Name of a function, by that of its folder. Fixed, so that others can name it without a reference. */
export const functionNameOf = (scope: Construct, name: string): string => `${prefixOf(scope)}-${name}`;

/** How ARNs name a function's alias, without a reference to it. */
export const liveName = (scope: Construct, name: string): string => `${functionNameOf(scope, name)}:${LIVE}`;

/**
 * The live version of a function: the one that the last deployment published. A version contains code and
 * configuration, so a changed environment also makes a new version. CloudFormation deletes the previous version only at
 * the end of the stack's update, so that a rollback finds it. A version has no description: Lambda does not publish a
 * version that differs in its description alone (`docs/decisions/0100-deploying.md`).
 */
const liveAlias = (scope: Construct, lambda: LambdaFunction): FunctionAlias =>
  new Alias(scope, 'Alias', { aliasName: LIVE, version: lambda.currentVersion as IVersion }) as FunctionAlias;

const MAPS = '*.map';

/**
 * The code of a function, from the directory of its bundle. V8's code caches differ each time they are made, so they
 * count by their names alone: the same code, for the same Node, is no new version of the function.
 */
export const functionCode = (bundle: string): Code =>
  Code.fromAsset(bundle, {
    exclude: [MAPS],
    assetHashType: AssetHashType.CUSTOM,
    assetHash: FileSystem.fingerprint(bundle, {
      exclude: [MAPS, `*${CODE_CACHE}`],
      extraHash: readdirSync(bundle)
        .filter((name) => name.endsWith(CODE_CACHE))
        .join(),
    }),
  });
