import { App, type Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { expect, it, vi } from 'vitest';
import { GatewayLogRole } from '../../infra/gateway-log-role.ts';
import type { Stage } from '../../infra/stacks/stage.ts';
import { authorizerOf, bodyWith, invocationUri, operationsIn } from './api-body.ts';
import { CDK_CONTEXT, EVERYTHING, PARTS, PROFILES, synthesize } from './synthesize.ts';

/**
 * cdk-nag's rules for AWS solutions and for serverless applications (`docs/decisions/0051-tests-beyond-emulators.md`).
 */

interface Finding {
  readonly rule: string;
  readonly path: string;
  readonly text: string;
}

const findingsOf = (scope: IConstruct): Finding[] =>
  [new AwsSolutionsChecks(), new ServerlessChecks()].flatMap((pack: NagPack) =>
    pack.validateScope(scope).violations.flatMap(({ ruleName, description, violatingResources }) =>
      violatingResources.map(({ constructPath = '' }) => ({
        rule: ruleName,
        path: constructPath,
        text: description,
      })),
    ),
  );

interface Accepted {
  readonly rule: string;
  readonly path: string;
  readonly reason: string;
}

/** The accepted findings: where, and why. */
const acceptedIn = (scope: IConstruct): Accepted[] =>
  scope.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) =>
        Object.entries(data as Record<string, string>).map(([rule, reason]) => ({
          rule: rule.replace(/^annotation::/i, ''),
          path: node.path,
          reason,
        })),
      ),
  );

const LOG_ROLE = 'the stack of the account';
type Named = 'everything' | 'small' | typeof LOG_ROLE;

/** What `look` sees in these stacks, which CDK's own rules of CloudFormation must take. */
function seenIn<T>(which: Named, look: (stack: Stack) => readonly T[], validate: boolean): readonly T[] {
  if (which === LOG_ROLE) return look(new GatewayLogRole(new App({ context: CDK_CONTEXT })));
  const seen: T[] = [];
  const change = (stage: Stage) => void seen.push(...PARTS.flatMap((part) => look(stage[part])));
  synthesize({ context: PROFILES[which], change, validate });
  return seen;
}

const told = ({ rule, path, text }: Finding): string => `${rule} ${path}: ${text}`;

/** By default a stage has nothing that one with everything has not. */
it.each<Named>(['everything', 'small', LOG_ROLE])(
  '%s is taken by CloudFormation, has no finding that is not accepted with a reason, and accepts what is found',
  (which) => {
    const accepted: Accepted[] = [];
    const look = (stack: Stack) => {
      accepted.push(...acceptedIn(stack));
      return findingsOf(stack);
    };
    expect(seenIn(which, look, true).map(told)).toEqual([]);
    expect(accepted.length).toBeGreaterThan(0);
    for (const { path, reason } of accepted) expect(reason.length, path).toBeGreaterThan(50);

    const silenced = vi.spyOn(Validations.prototype, 'acknowledge').mockImplementation(() => undefined);
    const findings = seenIn(which, findingsOf, false);
    silenced.mockRestore();
    const idle = accepted.filter(
      ({ rule, path }) => !findings.some((each) => each.rule === rule && each.path.startsWith(`${path}/`)),
    );
    expect(idle.map(({ rule, path }) => `${rule} ${path}`)).toEqual([]);
    expect(findings.length).toBeGreaterThan(0);
  },
);

/**
 * cdk-nag does not look into the document that API Gateway imports. Its rule AwsSolutions-APIG4, that methods are
 * authorized, is held here; COG4 asks for Cognito, which has no part in this API
 * (`docs/decisions/0051-tests-beyond-emulators.md`).
 */
it.each([{}, EVERYTHING])('the API has an authorizer for each method, or a reason why there is none: %o', (context) => {
  const body = bodyWith(context);
  const operations = operationsIn(body);
  expect(operations.size).toBeGreaterThan(100);
  for (const [method, operation] of operations) {
    if (operation.security !== undefined) {
      expect(authorizerOf(body, operation)?.authorizerUri, method).toBe(invocationUri('authorizer'));
      continue;
    }
    expect(operation['x-amazon-apigateway-auth'], method).toEqual({ type: 'NONE' });
    expect(operation.description?.length, method).toBeGreaterThan(50);
  }
});
