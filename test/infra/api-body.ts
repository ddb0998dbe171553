import { App } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { contracts } from '../../functions/all-contracts.ts';
import { apiBody } from '../../infra/api-body/body.ts';
import { settingsFrom } from '../../infra/settings.ts';
import type { Contract } from '../../shared/contract/route.ts';
import { resourcesOf } from './synthesize.ts';

/** The OpenAPI document that API Gateway imports: as it is made, and as it stands in the template. */

const textsSchema = z.record(z.string(), z.string());

const operationSchema = z.strictObject({
  description: z.string().optional(),
  security: z.array(z.record(z.string(), z.array(z.never()))).optional(),
  'x-amazon-apigateway-auth': z.strictObject({ type: z.literal('NONE') }).optional(),
  responses: z.record(
    z.string(),
    z.strictObject({ description: z.string(), headers: z.record(z.string(), z.unknown()) }),
  ),
  'x-amazon-apigateway-integration': z.strictObject({
    type: z.enum(['aws_proxy', 'mock']),
    httpMethod: z.literal('POST').optional(),
    uri: z.string().optional(),
    contentHandling: z.literal('CONVERT_TO_TEXT').optional(),
    passthroughBehavior: z.literal('never').optional(),
    requestTemplates: textsSchema.optional(),
    responses: z
      .record(
        z.string(),
        z.strictObject({
          statusCode: z.string(),
          contentHandling: z.literal('CONVERT_TO_TEXT'),
          responseParameters: textsSchema,
          responseTemplates: textsSchema.optional(),
        }),
      )
      .optional(),
  }),
});
export type Operation = z.infer<typeof operationSchema>;

const bodySchema = z.strictObject({
  openapi: z.string(),
  info: z.strictObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.strictObject({
    securitySchemes: z.record(
      z.string(),
      z.strictObject({
        type: z.literal('apiKey'),
        in: z.literal('header'),
        name: z.string(),
        'x-amazon-apigateway-authtype': z.literal('custom'),
        'x-amazon-apigateway-authorizer': z.strictObject({
          type: z.literal('request'),
          authorizerUri: z.string(),
          identitySource: z.string().optional(),
          authorizerResultTtlInSeconds: z.number(),
        }),
      }),
    ),
  }),
  'x-amazon-apigateway-gateway-responses': z.record(
    z.string(),
    z.strictObject({
      statusCode: z.string().optional(),
      responseParameters: textsSchema,
      responseTemplates: textsSchema,
    }),
  ),
  'x-amazon-apigateway-binary-media-types': z.array(z.string()),
  'x-amazon-apigateway-minimum-compression-size': z.number(),
});
export type Body = z.infer<typeof bodySchema>;

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': '111122223333',
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-west-1',
};

/** Where API Gateway finds a function of the stack of the tests. */
export const invocationUri = (name: string): string =>
  `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/arn:aws:lambda:eu-west-1:111122223333:function:custodia-dev-${name}:live/invocations`;

/** The body for a stage with these settings. */
export const bodyWith = (
  context: Readonly<Record<string, unknown>> = {},
  served: readonly Contract[] = contracts,
): Body =>
  bodySchema.parse(
    apiBody({
      name: 'custodia-dev',
      contracts: served,
      settings: settingsFrom(new App({ context }).node),
      invocationUri,
    }),
  );

/** The body in a template, whose references are to the account of the tests. */
export function bodyIn(template: Template): Body {
  const [[, api] = []] = resourcesOf(template, 'AWS::ApiGateway::RestApi');
  return bodySchema.parse(JSON.parse(JSON.stringify(api?.Properties.Body), (_, value: unknown) => joined(value)));
}

function joined(value: unknown): unknown {
  const { Ref: ref, 'Fn::Join': join } = Object(value) as { readonly Ref?: string; 'Fn::Join'?: [string, string[]] };
  if (ref !== undefined) return PSEUDO[ref] ?? value;
  return join === undefined ? value : join[1].join(join[0]);
}

const ANY = 'x-amazon-apigateway-any-method';

/** By `GET /api/v1/clients`, or `ANY` for what no other takes. */
export const operationsIn = ({ paths }: Body): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [
        `${method === ANY ? 'ANY' : method.toUpperCase()} ${path}`,
        operation,
      ]),
    ),
  );

/** The authorizer that an operation names, if any. */
export const authorizerOf = ({ components }: Body, operation: Operation | undefined) =>
  (operation?.security ?? []).flatMap(Object.keys).map((name) => components.securitySchemes[name])[0]?.[
    'x-amazon-apigateway-authorizer'
  ];
