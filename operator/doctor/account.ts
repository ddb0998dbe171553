import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { CallerClient } from '@custodia/lean-dynamodb';
import * as z from 'zod';
import { OperatorProblem } from '../problem.ts';
import { readResponse } from '../response.ts';
import { type Account, accountOf } from './account-calls.ts';
import { type Check, Warning } from './findings.ts';
import { lookAtTrail } from './trail.ts';

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
