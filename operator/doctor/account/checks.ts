import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { CallerClient } from '../../../shared/aws/service.ts';
import { OperatorProblem } from '../../problem.ts';
import { type Check, Warning } from '../findings.ts';
import { type AskAws, askAws } from './aws.ts';
import { lookAtLogRole } from './gateway-log-role.ts';
import { lookAtQuotas } from './quotas.ts';
import { lookAtTrail } from './trail.ts';

/** What a stage needs of the account and region that it is in, seen with the operator's own credentials. */

/** @param region where the stage is; undefined: the region of the operator's environment */
export function accountChecks(region: () => string | undefined): readonly Check[] {
  let asking: AskAws | undefined;
  const look = (at: (ask: AskAws) => Promise<string>) => async (): Promise<string> => {
    if (asking === undefined) throw new Error('the identity is not known');
    return await at(asking).catch(warnWhereNotAllowed);
  };
  return [
    {
      name: 'identity',
      look: async () => {
        const named = region();
        const client = new STSClient(named === undefined ? {} : { region: named });
        const where = await client.config.region().catch((cause: unknown) => {
          throw new OperatorProblem('Name the region: set AWS_REGION, or --region.', { cause });
        });
        const { Account, Arn } = await client.send(new GetCallerIdentityCommand({}));
        asking = await askAws(client as STSClient & CallerClient);
        return `${Arn}, account ${Account}, region ${where}`;
      },
      advice:
        'STS must answer in the region of the stage: log in to AWS, and look whether the account has the region enabled.',
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

/** Whoever may not look into the account may deploy all the same. @throws Warning, or what it is given */
function warnWhereNotAllowed(error: unknown): never {
  const { name, message } = error as Error;
  if (/^AccessDenied|^UnauthorizedOperation/.test(name))
    throw new Warning(`Not looked at, for AWS does not allow it: ${message}`);
  throw error;
}
