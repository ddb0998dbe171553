import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A role with its rights written into it. The CDK's own would have a policy beside it, which is one more of the 500 resources that a stack may have
 * (`docs/decisions/0151-api-as-a-document.md`). It needs a right: IAM takes no empty policy.
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
