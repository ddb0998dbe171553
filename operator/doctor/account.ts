import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type AwsService, type CallerClient, serviceOf } from '@custodia/lean-dynamodb';
import * as z from 'zod';
import { jsonErrorIn, readResponse, type ServiceRequest } from '../aws.ts';
import { errorSentenceOf, OperatorProblem } from '../problem.ts';

/** Checks of the account and region of a stage, with the operator's own credentials. */

/** A call that takes longer is retried. */
const TIMEOUTS = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true };

const identitySchema = z.object({ Account: z.string(), Arn: z.string() });

/** Where the stage is. An undefined region means the region of the operator's environment. */
export interface StageLocation {
  region?: string | undefined;
}

/** @param location may become known while the checks run */
export function accountChecks(location: StageLocation): readonly Check[] {
  let account: Account | undefined;
  const look = (at: (account: Account) => Promise<string>) => async (): Promise<string> => {
    if (account === undefined) throw new Error('the identity is not known');
    return await at(account).catch(warnWhereNotAllowed);
  };
  return [
    {
      name: 'identity',
      look: async () => {
        const named = location.region;
        const client = new STSClient({ requestHandler: TIMEOUTS, ...(named !== undefined && { region: named }) });
        const where = await client.config.region().catch((cause: unknown) => {
          throw new OperatorProblem('Name the region: set AWS_REGION, or --region.', { cause });
        });
        const identity = await client.send(new GetCallerIdentityCommand({}));
        const { Account, Arn } = readResponse('sts GetCallerIdentity', identitySchema, identity);
        const { config, middlewareStack } = client as STSClient & CallerClient;
        // No SDK logger: it expects each command to name the fields that must not be logged.
        account = accountOf({ config: { ...config, logger: undefined }, middlewareStack });
        return `${Arn}, account ${Account}, region ${where}`;
      },
      advice:
        'STS must answer in the region of the stage: log in to AWS, and look whether the account has the region ' +
        'enabled.',
    },
    { name: 'quotas', needs: ['identity'], look: look(lookAtQuotas), advice: 'Look in Service Quotas.' },
    {
      name: 'log role',
      needs: ['identity'],
      look: look(lookAtLogRole),
      advice: 'Look at the settings of API Gateway.',
    },
    { name: 'trail', needs: ['identity'], look: look(lookAtTrail), advice: 'Look at the trails in CloudTrail.' },
  ];
}

/** A person who may not read the account may still deploy to it. @throws Warning, or the given error */
function warnWhereNotAllowed(error: unknown): never {
  const { name, message } = error as Error;
  if (/^AccessDenied|^UnauthorizedOperation/.test(name))
    throw new Warning(`Not looked at, for AWS does not allow it: ${message}`);
  throw error;
}

/** The name that CloudFormation gives the role of the stack `api-gateway-log-role`. */
const OURS = /:role\/api-gateway-log-role-/;

/**
 * Reads the role under which API Gateway writes its logs. An account has one such role in each region
 * (`docs/decisions/0162-stacks.md`).
 * @throws OperatorProblem where there is none
 */
async function lookAtLogRole(account: Account): Promise<string> {
  const { cloudwatchRoleArn: role } = await readGatewayAccount(account);
  if (!role) {
    throw new OperatorProblem(
      'API Gateway has no role for its logs, and no stage can be deployed without. Give it one, once for the ' +
        'account and region: npx cdk deploy api-gateway-log-role -c gatewayLogRole=true',
    );
  }
  return OURS.test(role)
    ? `${role}, of the stack api-gateway-log-role`
    : `${role}, somebody else’s: a stage uses it. Do not deploy with gatewayLogRole=true, which would replace it`;
}

/** https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html */
const lambdaSchema = z.object({
  AccountLimit: z.object({ ConcurrentExecutions: z.number(), TotalCodeSize: z.number() }),
  AccountUsage: z.object({ TotalCodeSize: z.number() }),
});

/** https://docs.aws.amazon.com/apigateway/latest/api/API_Account.html */
const gatewayAccountSchema = z.object({
  cloudwatchRoleArn: z.string().optional(),
  throttleSettings: z.object({ burstLimit: z.number(), rateLimit: z.number() }).optional(),
});

const readGatewayAccount = ({ gateway }: Account) => gateway('/account', gatewayAccountSchema);

/** The usual quota of concurrent executions of an account. A new account may have 10. */
const USUAL_EXECUTIONS = 1_000;
/** Requests a second that a stage accepts on each route, unless its settings differ. */
const THROTTLE_RATE = 500;
const FULL = 0.8;

/** Checks whether the account's quotas suffice for a stage. @throws Warning */
async function lookAtQuotas(account: Account): Promise<string> {
  const { AccountLimit: limit, AccountUsage: usage } = await account.lambda(
    '/2016-08-19/account-settings/',
    lambdaSchema,
  );
  const { throttleSettings } = await readGatewayAccount(account);
  const rate = throttleSettings?.rateLimit;
  const short = [
    ...(limit.ConcurrentExecutions < USUAL_EXECUTIONS ? [tooFew(limit.ConcurrentExecutions)] : []),
    ...(usage.TotalCodeSize > limit.TotalCodeSize * FULL
      ? [
          `Functions take ${percent(usage.TotalCodeSize / limit.TotalCodeSize)} of the storage for code: delete ` +
            'old versions of other functions.',
        ]
      : []),
    ...(rate !== undefined && rate < THROTTLE_RATE
      ? [`API Gateway takes ${rate} requests a second of all APIs together: ask for more in Service Quotas.`]
      : []),
  ];
  if (short.length > 0) throw new Warning(short.join(' '));
  return `${limit.ConcurrentExecutions} concurrent executions, ${rate ?? 'unknown'} requests a second`;
}

const tooFew = (executions: number): string =>
  `${executions} concurrent executions for all functions of the account and region together; further calls fail. ` +
  `Ask for ${USUAL_EXECUTIONS}: aws service-quotas request-service-quota-increase --service-code lambda ` +
  `--quota-code L-B99A9384 --desired-value ${USUAL_EXECUTIONS}`;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/**
 * Reads of the account, with the credentials of the person who runs the command. (Other commands call AWS under a role
 * of the stage, as the table's client does.) Each function returns the members that a schema names, and throws a
 * ServiceException, a connection error, or OperatorProblem for a response without them.
 */
export interface Account {
  /** AWS Lambda: https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html */
  readonly lambda: Read;
  /** API Gateway: https://docs.aws.amazon.com/apigateway/latest/api/API_Operations.html */
  readonly gateway: Read;
  /** CloudTrail: https://docs.aws.amazon.com/awscloudtrail/latest/APIReference/API_Operations.html */
  readonly cloudTrail: <T>(action: string, input: object, schema: z.ZodType<T>) => Promise<T>;
}

type Read = <T>(path: string, schema: z.ZodType<T>) => Promise<T>;

const JSON_SERVICE = { contentType: 'application/x-amz-json-1.1', errorIn: jsonErrorIn } as const;
export function accountOf(client: CallerClient): Account {
  const caller = (name: AwsService['name']) => {
    const call = serviceOf(client, { name, ...JSON_SERVICE });
    return async <T>(operation: string, request: ServiceRequest, schema: z.ZodType<T>): Promise<T> =>
      readResponse(`${name} ${operation}`, schema, await call(request));
  };
  const reading = (name: 'lambda' | 'apigateway'): Read => {
    const call = caller(name);
    return (path, schema) => call(path, { get: { path, query: {} } }, schema);
  };
  const trails = caller('cloudtrail');
  return {
    lambda: reading('lambda'),
    gateway: reading('apigateway'),
    cloudTrail: (action, input, schema) => {
      const target = `com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.${action}`;
      return trails(action, { target, body: JSON.stringify(input) }, schema);
    },
  };
}

/**
 * CloudTrail records who disables a key or schedules its deletion, and sends it to EventBridge, whose rules raise the
 * alarm. Without a trail that logs, neither happens
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event-cloudtrail.html).
 */

const trailsSchema = z.object({ trailList: z.array(z.object({ TrailARN: z.string(), Name: z.string() })) });
const statusSchema = z.object({ IsLogging: z.boolean() });

/** https://docs.aws.amazon.com/awscloudtrail/latest/APIReference/API_GetEventSelectors.html */
const selectorsSchema = z.object({
  EventSelectors: z
    .array(
      z.object({
        ReadWriteType: z.string().default('All'),
        IncludeManagementEvents: z.boolean().default(true),
        ExcludeManagementEventSources: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  AdvancedEventSelectors: z
    .array(
      z.object({
        FieldSelectors: z.array(
          z.object({
            Field: z.string(),
            Equals: z.array(z.string()).optional(),
            NotEquals: z.array(z.string()).optional(),
          }),
        ),
      }),
    )
    .default([]),
});
type Selectors = z.infer<typeof selectorsSchema>;
type Fields = Selectors['AdvancedEventSelectors'][number]['FieldSelectors'];

const KMS = 'kms.amazonaws.com';

/** Checks for a trail that records operations on keys. @throws Warning */
export async function lookAtTrail({ cloudTrail }: Account): Promise<string> {
  const { trailList } = await cloudTrail('DescribeTrails', {}, trailsSchema);
  for (const { TrailARN, Name } of trailList) {
    const { IsLogging } = await cloudTrail('GetTrailStatus', { Name: TrailARN }, statusSchema);
    if (!IsLogging) continue;
    const selectors = await cloudTrail('GetEventSelectors', { TrailName: TrailARN }, selectorsSchema);
    if (seesKeys(selectors)) return `${Name} records what is done to keys`;
  }
  const found =
    trailList.length === 0
      ? 'There is no trail'
      : `No trail records management events of KMS (${trailList.map(({ Name }) => Name).join(', ')})`;
  throw new Warning(
    `${found}: nobody learns when a key is disabled or is to be deleted. The first trail of management events ` +
      'costs only its storage: aws cloudtrail create-trail',
  );
}

const seesKeys = ({ EventSelectors, AdvancedEventSelectors }: Selectors): boolean =>
  EventSelectors.some(
    ({ ReadWriteType, IncludeManagementEvents, ExcludeManagementEventSources }) =>
      IncludeManagementEvents && ReadWriteType !== 'ReadOnly' && !ExcludeManagementEventSources.includes(KMS),
  ) || AdvancedEventSelectors.some(({ FieldSelectors }) => takesKeys(FieldSelectors));

/** Whether an advanced selector includes writes to KMS. */
const takesKeys = (fields: Fields): boolean =>
  fields.some(({ Field, Equals }) => Field === 'eventCategory' && Equals?.includes('Management')) &&
  fields.every(({ Field, Equals, NotEquals }) => {
    if (Field === 'readOnly') return !Equals?.includes('true');
    if (Field === 'eventSource') return !NotEquals?.includes(KMS) && (Equals === undefined || Equals.includes(KMS));
    return true;
  });

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  /** The result, or the problem and its remedy. */
  readonly detail: string;
}

export interface Check {
  readonly name: string;
  /** Checks that must succeed before this one is made. */
  readonly needs?: readonly string[];
  /**
   * Makes the check, and describes what it found.
   * @throws Skipped, Warning; any other error says what is wrong
   */
  readonly look: () => Promise<string>;
  /** The remedy for a failure. The message of an {@link OperatorProblem} contains its own. */
  readonly advice: string;
}

/** A check cannot be made; that is no problem. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Something should be better, but the stage works. */
export class Warning extends Error {
  override readonly name = 'Warning';
}

/** Makes the checks one after the other. */
export async function findingsOf(checks: readonly Check[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, needs = [], look, advice } of checks) {
    const missing = findings.find(({ check, state }) => needs.includes(check) && state !== 'ok' && state !== 'warning');
    findings.push(
      missing === undefined
        ? await findingOf(name, look, advice)
        : { check: name, state: 'skipped', detail: `needs: ${missing.check}` },
    );
  }
  return findings;
}

async function findingOf(check: string, look: () => Promise<string>, advice: string): Promise<Finding> {
  try {
    return { check, state: 'ok', detail: await look() };
  } catch (error) {
    if (error instanceof Skipped) return { check, state: 'skipped', detail: error.message };
    if (error instanceof Warning) return { check, state: 'warning', detail: error.message };
    const said = errorSentenceOf(error);
    const isAdvised = error instanceof OperatorProblem;
    return { check, state: 'wrong', detail: isAdvised ? said : `${said.replace(/\.?$/, '.')} ${advice}` };
  }
}
