import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Contract, Route } from '#contract';

type Statement = CfnWebACL.StatementProperty;

/**
 * Matches requests that anybody can send, for a rule of AWS WAF: requests to routes whose contract needs no
 * credentials, and requests without a token to routes where a token is optional. It excludes webhooks: they are signed,
 * and one sender may deliver for many.
 *
 * WAF sees the path as the caller sent it: at API Gateway's own address with the stage's name in front, at a custom
 * domain without it or with a base path that was mapped by hand.
 * https://docs.aws.amazon.com/waf/latest/developerguide/logging-examples.html
 * @return undefined where the contracts have no such route
 */
export function anonymousRequests(contracts: readonly Contract[]): Statement | undefined {
  const open = pathsOf(contracts, 'none').map(atPath);
  const optional = pathsOf(contracts, 'bearer-optional').map(atPath);
  return anyOf([...open, ...optional.map((each) => allOf([each, WITHOUT_TOKEN]))]);
}

const pathsOf = (contracts: readonly Contract[], auth: Route['auth']): readonly string[] => {
  const routes = contracts.flatMap((contract) => Object.values(contract.routes));
  return [...new Set(routes.filter((route) => route.auth === auth).map(({ path }) => path))];
};

/** Normalizes the path first, because different spellings reach the same route. */
const atPath = (path: string): Statement => ({
  regexMatchStatement: {
    regexString: `^(?:/[^/]+)?${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '.+')}/?$`,
    fieldToMatch: { uriPath: {} },
    textTransformations: [
      { priority: 0, type: 'URL_DECODE' },
      { priority: 1, type: 'NORMALIZE_PATH' },
    ],
  },
});

const WITHOUT_TOKEN: Statement = {
  notStatement: {
    statement: {
      sizeConstraintStatement: {
        fieldToMatch: { singleHeader: { Name: 'authorization' } },
        comparisonOperator: 'GT',
        size: 0,
        textTransformations: [{ priority: 0, type: 'NONE' }],
      },
    },
  },
};

const allOf = (statements: readonly Statement[]): Statement => ({ andStatement: { statements: [...statements] } });

/** WAF wants two statements or more in an `or`. */
const anyOf = ([first, ...others]: readonly Statement[]): Statement | undefined =>
  first === undefined || others.length === 0 ? first : { orStatement: { statements: [first, ...others] } };
