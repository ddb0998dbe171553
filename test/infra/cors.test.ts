import { describe, expect, test } from 'vitest';
import { originVariables } from '../../infra/api-body/undeclared.ts';
import { bodyWith, operationsIn } from './api-body.ts';

const bodyFor = (corsOrigins?: string) => bodyWith(corsOrigins === undefined ? {} : { corsOrigins });

const anysIn = (corsOrigins?: string) =>
  [...operationsIn(bodyFor(corsOrigins))].filter(([key]) => key.startsWith('ANY ')).map(([, operation]) => operation);

/** The `ANY` methods that have a preflight. */
const preflightsIn = (corsOrigins?: string) =>
  anysIn(corsOrigins).flatMap(({ responses: declared, 'x-amazon-apigateway-integration': integration }) => {
    const { requestTemplates = {}, responses = {} } = integration;
    const { default: refusal, 204: preflight } = responses;
    if (refusal === undefined || preflight === undefined) return [];
    return [{ declared, requestTemplates, responses, refusal, preflight }];
  });

const originIn = ({ preflight }: ReturnType<typeof preflightsIn>[number]) =>
  preflight.responseParameters['method.response.header.Access-Control-Allow-Origin'];

describe('a stage that allows origins', () => {
  const BOTH = 'https://app.example.com,http://localhost:5173';

  test('responds to preflights in the mock of every path but webhooks’, and has no method more for it', () => {
    expect([...operationsIn(bodyFor(BOTH)).keys()]).toEqual([...operationsIn(bodyFor()).keys()]);
    expect(preflightsIn(BOTH).length).toBe(anysIn(BOTH).length - 1);
  });

  test('distinguishes preflights from other methods, and declares every header that it maps', () => {
    for (const { requestTemplates, responses, declared, refusal, preflight } of preflightsIn(BOTH)) {
      expect(requestTemplates['application/json']).toContain(
        `#if($context.httpMethod=="OPTIONS")204#{else}${refusal.statusCode}#end`,
      );
      const others = Object.keys(responses).filter((status) => status !== '302');
      expect([others.toSorted(), preflight.statusCode]).toEqual([['204', 'default'], '204']);
      expect(refusal.statusCode).toMatch(/^40[45]$/);
      for (const { statusCode, responseParameters } of [refusal, preflight]) {
        const headers = Object.keys(declared[statusCode]?.headers ?? {});
        expect(headers.map((name) => `method.response.header.${name}`)).toEqual(Object.keys(responseParameters));
      }
    }
  });

  test('names the first by mapping, and each other by template, from a variable of the stage', () => {
    const listed = preflightsIn(BOTH).filter((each) => originIn(each) !== "'*'");
    expect(listed.length).toBeGreaterThan(35);
    for (const each of listed) {
      expect(originIn(each)).toBe("'https://app.example.com'");
      expect(each.preflight.responseParameters['method.response.header.Vary']).toBe("'Origin'");
      const template = each.preflight.responseTemplates?.['application/json'] ?? '';
      expect(template).toContain('#if($o==$stageVariables.origin2)');
      expect(template.match(/Access-Control-Allow-Origin/g)).toHaveLength(1);
    }
    expect(originVariables(BOTH.split(','))).toEqual({ origin2: 'http://localhost:5173' });
    for (const each of preflightsIn('https://app.example.com'))
      expect(each.preflight).not.toHaveProperty('responseTemplates');
  });

  test('has a variable, such as API Gateway takes, for every origin that a template compares with', () => {
    const origins = Array.from({ length: 19 }, (_, index) => `https://app-${index}.example.com:8443`);
    const variables = originVariables(origins);
    for (const value of Object.values(variables)) expect(value).toMatch(/^[A-Za-z0-9-._~:/?#&=,]{1,512}$/);
    const [first] = preflightsIn([...origins, origins[1]].join());
    const template = first?.preflight.responseTemplates?.['application/json'] ?? '';
    const compared = Array.from(template.matchAll(/\$stageVariables\.(\w+)/g), ([, name = '']) => variables[name]);
    expect(compared).toEqual(origins.slice(1));
  });

  test('lets pages read what the gateway says by itself', () => {
    for (const { responseParameters } of Object.values(bodyFor(BOTH)['x-amazon-apigateway-gateway-responses']))
      expect(responseParameters).toMatchObject({ 'gatewayresponse.header.Access-Control-Allow-Origin': "'*'" });
  });
});

test('a stage that allows none still has preflights for what everybody may read, and nothing else', () => {
  const preflights = preflightsIn();
  expect(preflights.length).toBeGreaterThanOrEqual(2);
  for (const each of preflights) expect(originIn(each)).toBe("'*'");
  const other = JSON.stringify(bodyFor()['x-amazon-apigateway-gateway-responses']);
  expect(other).not.toContain('Access-Control');
});
