import recommended from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { afterEach, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { GATEWAY_PROBLEMS } from '../../shared/contract/gateway-problems.ts';
import type { Contract } from '../../shared/contract/route.ts';
import { bodyWith } from './api-body.ts';
import { CDK_CONTEXT, resourcesOf, synthesize } from './synthesize.ts';

/**
 * API Gateway serves a snapshot of the API, a deployment, and CloudFormation makes a new one only under another logical id. What does not
 * change that id is changed in the template and never served.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-deploy-api.html
 */

function deploymentWith(context: Readonly<Record<string, string>> = {}): string {
  const deployments = resourcesOf(synthesize({ context }).application, 'AWS::ApiGateway::Deployment').map(([id]) => id);
  expect(deployments).toHaveLength(1);
  return deployments[0] ?? '';
}

describe('a new deployment is made', () => {
  it('when the document changes that API Gateway imports', () => {
    expect(deploymentWith({ authorizerCacheSeconds: '30' })).not.toBe(deploymentWith());
  });

  it('and not when nothing of the API does', () => {
    expect(deploymentWith({ memory: '1536', deployment: 'canary', alarmEmail: 'ops@example.com' })).toBe(
      deploymentWith(),
    );
  });
});

describe('the document changes', () => {
  const { THROTTLED } = GATEWAY_PROBLEMS;
  const problems = GATEWAY_PROBLEMS as Record<string, typeof THROTTLED>;
  afterEach(() => {
    problems.THROTTLED = THROTTLED;
  });
  const before = bodyWith();

  it('when an authorizer does', () => {
    expect(bodyWith({ authorizerCacheSeconds: '30' })).not.toEqual(before);
    expect(bodyWith({ firstKey: 'true' })).not.toEqual(before);
  });

  it('when a gateway response does', () => {
    problems.THROTTLED = { ...THROTTLED, headers: { 'Retry-After': "'7'" } };
    expect(bodyWith()).not.toEqual(before);
  });

  it('when other pages may call', () => {
    expect(bodyWith({ corsOrigins: 'https://app.example.com' })).not.toEqual(before);
  });

  it('when a method does, or goes', () => {
    const closed = contracts.map((contract: Contract): Contract => {
      const { getOpenApi } = contract.routes;
      if (getOpenApi === undefined) return contract;
      return { ...contract, routes: { ...contract.routes, getOpenApi: { ...getOpenApi, auth: 'bearer' } } };
    });
    expect(bodyWith({}, closed)).not.toEqual(before);
    expect(bodyWith({}, contracts.slice(1))).not.toEqual(before);
  });

  it('when a route goes to another function', () => {
    const [first, second, ...others] = contracts;
    if (first === undefined || second === undefined) throw new TypeError('there are too few contracts');
    const [moved, ...rest] = Object.entries<Contract['routes'][string]>(second.routes);
    if (moved === undefined) throw new TypeError('there is no route');
    const to: Contract = { ...first, routes: { ...first.routes, [moved[0]]: moved[1] } };
    const from: Contract = { ...second, routes: Object.fromEntries(rest) };
    expect(bodyWith({}, [to, from, ...others])).not.toEqual(before);
  });

  it('and not when nothing of the API does', () => {
    expect(bodyWith({ memory: '1536', throttleRate: '7', stage: 'other' })).toEqual(before);
  });
});

describe('cdk.json', () => {
  it('sets every feature flag that the installed CDK recommends, as it does', () => {
    expect(Object.keys(recommended).length).toBeGreaterThan(80);
    expect(CDK_CONTEXT).toMatchObject(recommended);
  });
});
