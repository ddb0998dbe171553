import { CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import recommended from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { GATEWAY_PROBLEMS } from '../../shared/contract/gateway-problems.ts';
import type { Contract } from '../../shared/contract/route.ts';
import { assemble, CDK_CONTEXT, resourcesOf, type SynthesizeOptions } from './synthesize.ts';

/**
 * API Gateway serves a snapshot of the API, a deployment, and CloudFormation makes a new one only under another logical id. What does not
 * change that id is changed in the template and never served.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-deploy-api.html
 */

function deploymentOf(options: SynthesizeOptions = {}): string {
  const deployments = assemble(options, (template) => resourcesOf(template, 'AWS::ApiGateway::Deployment')).map(
    ([id]) => id,
  );
  expect(deployments).toHaveLength(1);
  return deployments[0] ?? '';
}

let before: string;
beforeAll(() => {
  before = deploymentOf();
});

/** The contracts, with the document for callers with a token alone. */
const closed = contracts.map((contract: Contract): Contract => {
  const { getOpenApi } = contract.routes;
  if (getOpenApi === undefined) return contract;
  return { ...contract, routes: { ...contract.routes, getOpenApi: { ...getOpenApi, auth: 'bearer' } } };
});

describe('a new deployment is made', () => {
  const { THROTTLED } = GATEWAY_PROBLEMS;
  const problems = GATEWAY_PROBLEMS as Record<string, typeof THROTTLED>;
  afterEach(() => {
    problems.THROTTLED = THROTTLED;
  });

  it('when an authorizer changes', () => {
    expect(deploymentOf({ context: { authorizerCacheSeconds: '30' } })).not.toBe(before);
  });

  it('when a gateway response changes', () => {
    problems.THROTTLED = { ...THROTTLED, headers: { 'Retry-After': "'7'" } };
    expect(deploymentOf()).not.toBe(before);
  });

  it('when the media types change', () => {
    const change: SynthesizeOptions['change'] = (stack) => {
      const [api] = stack.node.findAll().filter((child) => child instanceof CfnRestApi);
      if (api !== undefined) api.binaryMediaTypes = ['application/octet-stream'];
    };
    expect(deploymentOf({ change })).not.toBe(before);
  });

  it('when another size is compressed', () => {
    const change: SynthesizeOptions['change'] = (stack) => {
      const [api] = stack.node.findAll().filter((child) => child instanceof CfnRestApi);
      if (api !== undefined) api.minimumCompressionSize = 1;
    };
    expect(deploymentOf({ change })).not.toBe(before);
  });

  it('when a method changes, or goes', () => {
    expect(deploymentOf({ served: closed })).not.toBe(before);
    expect(deploymentOf({ served: contracts.slice(1) })).not.toBe(before);
  });

  it('when a route goes to another function', () => {
    const [first, second, ...others] = contracts;
    if (first === undefined || second === undefined) throw new TypeError('there are too few contracts');
    const [moved] = Object.keys(second.routes);
    const routes: Contract['routes'] = second.routes;
    const rest = Object.entries(routes).filter(([id]) => id !== moved);
    const added = Object.entries(routes).filter(([id]) => id === moved);
    const to: Contract = { ...first, routes: { ...first.routes, ...Object.fromEntries(added) } };
    const from: Contract = { ...second, routes: Object.fromEntries(rest) };
    expect(deploymentOf({ served: [to, from, ...others] })).not.toBe(before);
  });

  it('and not when nothing of the API does', () => {
    expect(deploymentOf({ context: { memory: '1024', deployment: 'canary' } })).toBe(before);
  });
});

describe('cdk.json', () => {
  it('sets every feature flag that the installed CDK recommends, as it does', () => {
    expect(Object.keys(recommended).length).toBeGreaterThan(80);
    expect(CDK_CONTEXT).toMatchObject(recommended);
  });
});
