import { Validations } from 'aws-cdk-lib';
import {
  AuthorizationType,
  ContentHandling,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
} from 'aws-cdk-lib/aws-apigateway';
import { gatewayProblemHeaders, gatewayProblemTemplate, undeclared } from '../shared/contract/gateway-problems.ts';
import { type Preflight, preflightOf } from '../shared/contract/preflight.ts';
import type { Route } from '../shared/contract/route.ts';

/**
 * Paths and methods that no contract declares. API Gateway would call both a "missing authentication token", and would try to read a
 * bearer token as an AWS signature: so every resource has an `ANY` method that answers without a function. A greedy `{proxy+}` at the root
 * takes all paths that are nowhere declared.
 */

/** Answers the methods of a resource that none of its routes has: preflights of browsers where pages may call, and 405, or 404 without routes. */
export function answerUndeclared(resource: IResource, routes: readonly Route[], corsOrigins: readonly string[]): void {
  const preflight = preflightOf(routes, corsOrigins);
  const problem = undeclared(routes, preflight);
  const status = problem.status ?? 404;
  const answers = [
    {
      status,
      headers: gatewayProblemHeaders(problem, corsOrigins),
      template: gatewayProblemTemplate(problem),
    },
    ...(preflight === undefined ? [] : [preflightAnswer(preflight)]),
  ];
  addMock(resource, answers);
}

interface MockAnswer {
  readonly status: number;
  /** In API Gateway's mapping syntax. */
  readonly headers: Readonly<Record<string, string>>;
  readonly template: string;
}

const PREFLIGHT = 204;

/**
 * Header mappings are the same for every request: that of the first origin stands unless the template sees another one that is allowed. The CDK's
 * own `addCorsPreflight` does the same, with a method of its own on every resource.
 */
function preflightAnswer({ origins: [first, ...others], headers }: Preflight): MockAnswer {
  const quoted = Object.entries({ 'Access-Control-Allow-Origin': first, ...headers }).map(([name, value]) => [
    name,
    `'${value}'`,
  ]);
  const isOther = others.map((origin) => `$origin == "${origin}"`).join(' || ');
  const template = [
    '#set($origin = $input.params().header.get("Origin"))',
    '#if($origin == "")#set($origin = $input.params().header.get("origin"))#end',
    `#if(${isOther})#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)#end`,
  ].join('\n');
  return {
    status: PREFLIGHT,
    headers: { ...Object.fromEntries(quoted), 'X-Request-Id': 'context.requestId' },
    template: others.length === 0 ? '' : template,
  };
}

/**
 * A mock integration needs a template for the media type it is sent; others are a 415. These are what clients send to an API.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/integration-passthrough-behaviors.html
 */
const MEDIA_TYPES = [
  'application/json',
  'application/problem+json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'application/xml',
  'multipart/form-data',
  'text/plain',
  'text/html',
  'text/xml',
];

/** The first answer, but for `OPTIONS` the second where there is one. */
function addMock(resource: IResource, answers: readonly MockAnswer[]): void {
  const [{ status = 0 } = {}] = answers;
  const otherwise = JSON.stringify({ statusCode: status });
  const template =
    answers.length === 1
      ? otherwise
      : `#if($context.httpMethod == "OPTIONS")${JSON.stringify({ statusCode: PREFLIGHT })}#else${otherwise}#end`;
  const integration = new MockIntegration({
    // All bodies come as bytes (`binaryMediaTypes`), which a mapping template cannot take.
    contentHandling: ContentHandling.CONVERT_TO_TEXT,
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(MEDIA_TYPES.map((type) => [type, template])),
    integrationResponses: answers.map(({ status, headers, template }, index) => ({
      statusCode: String(status),
      ...(index === 0 ? {} : { selectionPattern: String(status) }),
      contentHandling: ContentHandling.CONVERT_TO_TEXT,
      responseParameters: mapped(headers, (value) => value),
      responseTemplates: { 'application/json': template },
    })),
  });
  const method = resource.addMethod('ANY', integration, {
    authorizationType: AuthorizationType.NONE,
    methodResponses: answers.map(({ status, headers }) => ({
      statusCode: String(status),
      responseParameters: mapped(headers, () => true),
    })),
  });
  Validations.of(method).acknowledge({
    id: 'AwsSolutions-APIG4',
    reason: 'It only says that there is nothing here, or what pages may ask, to anybody, without a function behind it.',
  });
}

const mapped = <T>(headers: MockAnswer['headers'], to: (value: string) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, to(value)]));
