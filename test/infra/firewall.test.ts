import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { anonymousRequests } from '../../infra/firewall.ts';

/** The rule of the firewall that counts what anybody can send. The other rules: `properties.stack.test.ts`. */

interface Request {
  readonly path: string;
  readonly authorization?: string | undefined;
}

const only = (statements: unknown): readonly CfnWebACL.StatementProperty[] => statements as never;

/** As WAF decides, of a path whose transformations leave it as it is. */
function matches(statement: CfnWebACL.StatementProperty, request: Request): boolean {
  const { orStatement, andStatement, notStatement, regexMatchStatement, sizeConstraintStatement } = statement as Record<
    string,
    Record<string, unknown> | undefined
  >;
  if (orStatement !== undefined) return only(orStatement.statements).some((each) => matches(each, request));
  if (andStatement !== undefined) return only(andStatement.statements).every((each) => matches(each, request));
  if (notStatement !== undefined) return !matches(notStatement.statement as CfnWebACL.StatementProperty, request);
  if (regexMatchStatement !== undefined) return new RegExp(String(regexMatchStatement.regexString)).test(request.path);
  if (sizeConstraintStatement !== undefined)
    return (request.authorization?.length ?? 0) > Number(sizeConstraintStatement.size);
  throw new Error(`not known here: ${JSON.stringify(statement)}`);
}

const rule = anonymousRequests(contracts) ?? {};
const isCounted = (path: string, authorization?: string): boolean => matches(rule, { path, authorization });
const routes = contracts.flatMap((contract) => Object.values(contract.routes));

describe('the rule for requests that anybody can send', () => {
  it.each(routes)('counts $method $path by its `auth`, at every address', ({ path, auth }) => {
    const sent = path.replaceAll(/\{\w+\}/g, '87d6100d-2b60-4835-bac5-aa9ec3a1528a');
    const isOptional = routes.some((other) => other.path === path && other.auth === 'bearer-optional');
    for (const address of [sent, `/prod${sent}`, `/base-path${sent}`, `${sent}/`]) {
      expect([address, isCounted(address)]).toEqual([address, auth === 'none' || isOptional]);
      expect([address, isCounted(address, 'Bearer x')]).toEqual([address, auth === 'none']);
    }
  });

  it('counts nothing that only looks like it', () => {
    for (const path of ['/api/v1/auth/loginx', '/x/prod/api/v1/auth/login', '/xwell-known/jwks'])
      expect([path, isCounted(path)]).toEqual([path, false]);
  });

  it('sees through addresses that are written otherwise, in the few constructs that WAF takes', () => {
    const text = JSON.stringify(rule);
    const patterns = Array.from(text.matchAll(/"regexString":"([^"]+)"/g), ([, pattern = '']) => pattern);
    expect(patterns.length).toBeGreaterThan(4);
    for (const pattern of patterns) expect(pattern.length, pattern).toBeLessThanOrEqual(512);
    // No capturing groups, and few branches:
    // https://docs.aws.amazon.com/waf/latest/developerguide/waf-regex-pattern-support.html
    expect(patterns.filter((pattern) => /\((?!\?:)|\|/.test(pattern))).toEqual([]);
    const transformed = /\{"priority":0,"type":"URL_DECODE"\},\{"priority":1,"type":"NORMALIZE_PATH"\}/g;
    expect([...text.matchAll(transformed)]).toHaveLength(patterns.length);
  });
});
