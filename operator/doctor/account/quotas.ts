import * as z from 'zod';
import { Warning } from '../findings.ts';
import type { Account } from './aws.ts';

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

export const readGatewayAccount = ({ gateway }: Account) => gateway('/account', gatewayAccountSchema);

/** The usual quota of concurrent executions of an account. A new account may have 10. */
const USUAL_EXECUTIONS = 1_000;
/** Requests a second that a stage accepts on each route, unless its settings differ. */
const THROTTLE_RATE = 500;
const FULL = 0.8;

/** Checks whether the account's quotas suffice for a stage. @throws Warning */
export async function lookAtQuotas(account: Account): Promise<string> {
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
          `Functions take ${percent(usage.TotalCodeSize / limit.TotalCodeSize)} of the storage for code: delete old versions of other functions.`,
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
  `${executions} concurrent executions for all functions of the account and region together; further calls fail. Ask for ${USUAL_EXECUTIONS}: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${USUAL_EXECUTIONS}`;

const percent = (share: number): string => `${Math.round(share * 100)} %`;
