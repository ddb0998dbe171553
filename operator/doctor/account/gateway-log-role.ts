import { OperatorProblem } from '../../problem.ts';
import type { Account } from './aws.ts';
import { readGatewayAccount } from './quotas.ts';

/** The name that CloudFormation gives the role of the stack `api-gateway-log-role`. */
const OURS = /:role\/api-gateway-log-role-/;

/**
 * Reads the role under which API Gateway writes its logs. An account has one such role in each region
 * (`docs/decisions/0162-stacks.md`).
 * @throws OperatorProblem where there is none
 */
export async function lookAtLogRole(account: Account): Promise<string> {
  const { cloudwatchRoleArn: role } = await readGatewayAccount(account);
  if (!role) {
    throw new OperatorProblem(
      'API Gateway has no role for its logs, and no stage can be deployed without. Give it one, once for the account and region: npx cdk deploy api-gateway-log-role -c gatewayLogRole=true',
    );
  }
  return OURS.test(role)
    ? `${role}, of the stack api-gateway-log-role`
    : `${role}, somebody else’s: a stage uses it. Do not deploy with gatewayLogRole=true, which would replace it`;
}
