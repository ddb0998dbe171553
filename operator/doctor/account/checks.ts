import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { CallerClient } from '@custodia/lean-dynamodb';
import * as z from 'zod';
import { OperatorProblem } from '../../problem.ts';
import { readResponse } from '../../response.ts';
import { type Check, Skipped, Warning } from '../findings.ts';
import { type Account, accountOf } from './aws.ts';
import { lookAtLogRole } from './gateway-log-role.ts';
import { lookAtQuotas } from './quotas.ts';
import { lookAtStacks } from './stacks.ts';
import { lookAtTrail } from './trail.ts';

/** Checks of the account and region of a stage, with the operator's own credentials. */

/** A call that takes longer is retried. */
const TIMEOUTS = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true };

const identitySchema = z.object({ Account: z.string(), Arn: z.string() });

/** Where the stage is. An undefined region means the region of the operator's environment. */
export interface StageLocation {
  region?: string | undefined;
  /** Name of the application stack. */
  stack?: string | undefined;
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
        'STS must answer in the region of the stage: log in to AWS, and look whether the account has the region enabled.',
    },
    {
      name: 'stacks',
      needs: ['identity'],
      look: look(async (asked) => {
        if (location.stack === undefined) throw new Skipped('no stage named: --outputs names one');
        return await lookAtStacks(asked, location.stack);
      }),
      advice: 'Deploy all three: npx cdk deploy --all.',
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
