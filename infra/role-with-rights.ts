import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A role with inline rights. The CDK's own makes a separate policy, which is one more of the 500 resources of a stack
 * (`docs/decisions/0151-api-as-a-document.md`). It needs at least one right: IAM refuses an empty policy.
 */
export class RoleWithRights extends Role {
  readonly #rights: PolicyDocument;

  constructor(scope: Construct, id: string, props: Omit<RoleProps, 'inlinePolicies'>) {
    const rights = new PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { Rights: rights } });
    this.#rights = rights;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#rights.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
