import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { resourcesIn, resourcesOf, synthesize } from './synthesize.ts';

const mockSchema = z.object({
  HttpMethod: z.literal('ANY'),
  Integration: z.object({
    RequestTemplates: z.record(z.string(), z.string()),
    IntegrationResponses: z.array(
      z.object({
        StatusCode: z.string(),
        SelectionPattern: z.string().optional(),
        ResponseParameters: z.record(z.string(), z.string()),
        ResponseTemplates: z.record(z.string(), z.string()),
      }),
    ),
  }),
  MethodResponses: z.array(z.object({ StatusCode: z.string(), ResponseParameters: z.record(z.string(), z.boolean()) })),
});

const stackWith = (corsOrigins?: string) => synthesize({ context: corsOrigins === undefined ? {} : { corsOrigins } });

/** The `ANY` methods that have a preflight, by its methods. */
const preflightsIn = (corsOrigins?: string) =>
  resourcesOf(stackWith(corsOrigins), 'AWS::ApiGateway::Method')
    .flatMap(([, { Properties }]) => mockSchema.safeParse(Properties).data ?? [])
    .flatMap(({ Integration, MethodResponses }) => {
      const preflight = Integration.IntegrationResponses.find(({ StatusCode }) => StatusCode === '204');
      return preflight === undefined ? [] : [{ ...Integration, MethodResponses, preflight }];
    });

const originIn = ({ preflight }: ReturnType<typeof preflightsIn>[number]) =>
  preflight.ResponseParameters['method.response.header.Access-Control-Allow-Origin'];

describe('a stage that allows origins', () => {
  const BOTH = 'https://app.example.com,http://localhost:5173';

  test('answers preflights in the mock of every path but webhooks’, and has no resource more for it', () => {
    expect(Object.keys(resourcesIn(stackWith(BOTH))).length).toBe(Object.keys(resourcesIn(stackWith())).length);
    const anys = resourcesOf(stackWith(BOTH), 'AWS::ApiGateway::Method').filter(
      ([, { Properties }]) => Properties.HttpMethod === 'ANY',
    );
    expect(preflightsIn(BOTH).length).toBe(anys.length - 1);
  });

  test('tells preflights from other methods, and declares every header that it maps', () => {
    for (const { RequestTemplates, IntegrationResponses, MethodResponses, preflight } of preflightsIn(BOTH)) {
      expect(RequestTemplates['application/json']).toMatch(
        /^#if\(\$context\.httpMethod == "OPTIONS"\)\{"statusCode":204\}#else\{"statusCode":40[45]\}#end$/,
      );
      expect([preflight.SelectionPattern, IntegrationResponses[0]?.SelectionPattern]).toEqual(['204', undefined]);
      for (const { StatusCode, ResponseParameters } of IntegrationResponses) {
        const declared = MethodResponses.find((response) => response.StatusCode === StatusCode)?.ResponseParameters;
        expect(Object.keys(declared ?? {})).toEqual(Object.keys(ResponseParameters));
      }
    }
  });

  test('names the first by mapping, and each other by template', () => {
    const listed = preflightsIn(BOTH).filter((each) => originIn(each) !== "'*'");
    expect(listed.length).toBeGreaterThan(35);
    for (const each of listed) {
      expect(originIn(each)).toBe("'https://app.example.com'");
      expect(each.preflight.ResponseParameters['method.response.header.Vary']).toBe("'Origin'");
      const template = each.preflight.ResponseTemplates['application/json'] ?? '';
      expect(template).toContain('#if($origin == "http://localhost:5173")');
      expect(template.match(/Access-Control-Allow-Origin/g)).toHaveLength(1);
    }
    for (const each of preflightsIn('https://app.example.com'))
      expect(each.preflight.ResponseTemplates['application/json']).toBe('');
  });

  test('lets pages read what the gateway says by itself, and tells its functions', () => {
    for (const [, { Properties }] of resourcesOf(stackWith(BOTH), 'AWS::ApiGateway::GatewayResponse'))
      expect(Properties.ResponseParameters).toMatchObject({
        'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
      });
    for (const [, { Properties }] of resourcesOf(stackWith(BOTH), 'AWS::Lambda::Function'))
      expect(Properties.Environment).toMatchObject({ Variables: { CORS_ORIGINS: BOTH } });
  });
});

test('a stage that allows none still has preflights for what everybody may read, and nothing else', () => {
  const preflights = preflightsIn();
  expect(preflights.length).toBeGreaterThanOrEqual(2);
  for (const each of preflights) expect(originIn(each)).toBe("'*'");
  const other = JSON.stringify(resourcesOf(stackWith(), 'AWS::ApiGateway::GatewayResponse'));
  expect(other).not.toContain('Access-Control');
});

test('what is no list of origins is refused', () => {
  for (const wrong of ['https://*.example.com', 'https://app.example.com/', '*,https://app.example.com'])
    expect(() => stackWith(wrong)).toThrow(/corsOrigins: up to 20 origins/);
});
