import { App } from 'aws-cdk-lib';
import type { Contract } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { apiBody } from '../../infra/api-body/body.ts';
import { settingsFrom } from '../../infra/settings.ts';

/** The OpenAPI document that API Gateway imports. That it stands so in the template: `template.stack.test.ts`. */

type Texts = Readonly<Record<string, string>>;

interface IntegrationResponse {
  readonly statusCode: string;
  readonly responseParameters: Texts;
  readonly responseTemplates?: Texts;
}

export interface Operation {
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly never[]>>[];
  readonly 'x-amazon-apigateway-auth'?: { readonly type: 'NONE' };
  readonly responses: Readonly<Record<string, { readonly headers: object }>>;
  readonly 'x-amazon-apigateway-integration': {
    readonly type: 'aws_proxy' | 'mock';
    readonly uri?: string;
    readonly requestTemplates?: Texts;
    readonly responses?: Readonly<Record<string, IntegrationResponse>>;
  };
}

interface Authorizer {
  readonly type: string;
  readonly authorizerUri: string;
  readonly identitySource?: string;
  readonly authorizerResultTtlInSeconds: number;
}

export interface Body {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<
      Record<string, { readonly name: string; readonly 'x-amazon-apigateway-authorizer': Authorizer }>
    >;
  };
  readonly 'x-amazon-apigateway-gateway-responses': Readonly<Record<string, Omit<IntegrationResponse, 'statusCode'>>>;
  readonly 'x-amazon-apigateway-binary-media-types': readonly string[];
  readonly 'x-amazon-apigateway-minimum-compression-size': number;
}

/** Where API Gateway finds a function of the stack of the tests. */
export const invocationUri = (name: string): string =>
  `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/arn:aws:lambda:eu-west-1:111122223333:function:custodia-dev-${name}:live/invocations`;

/** The body for a stage with these settings. */
export function bodyWith(context: Readonly<Record<string, unknown>> = {}): Body {
  const settings = settingsFrom(new App({ context }).node);
  const served: readonly Contract[] = contracts;
  return JSON.parse(JSON.stringify(apiBody({ name: 'custodia-dev', contracts: served, settings, invocationUri })));
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
export const authorizerOf = ({ components }: Body, operation: Operation | undefined): Authorizer | undefined =>
  (operation?.security ?? []).flatMap(Object.keys).map((name) => components.securitySchemes[name])[0]?.[
    'x-amazon-apigateway-authorizer'
  ];
