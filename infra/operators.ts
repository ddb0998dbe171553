import { Stack } from 'aws-cdk-lib';
import { AccountPrincipal, CompositePrincipal, type PrincipalBase } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { settingsOf } from './stacks/stage-stack.ts';

/**
 * Who may assume the roles of operators: everybody of the account whom IAM allows to, or only those whom the stage
 * names, with a second factor where the stage requires one (`docs/decisions/0098-command-line.md`). A condition names
 * them: a principal that does not exist would fail the deployment, and nobody knows the names of IAM Identity Center's
 * roles beforehand.
 */
export function operators(scope: Construct): PrincipalBase {
  const { operatorPrincipals, requireMfa } = settingsOf(scope);
  const named = operatorPrincipals.map((arn) => arn.split(':')[4] ?? '');
  const accounts = named.length === 0 ? [Stack.of(scope).account] : [...new Set(named)];
  return new CompositePrincipal(...accounts.map((account) => new AccountPrincipal(account))).withConditions({
    ...(named.length === 0 ? {} : { ArnLike: { 'aws:PrincipalArn': operatorPrincipals } }),
    ...(requireMfa ? { Bool: { 'aws:MultiFactorAuthPresent': 'true' } } : {}),
  });
}
