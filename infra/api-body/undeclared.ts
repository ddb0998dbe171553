import { type entranceOf, gatewayResponse, type Route, undeclared } from '#contract';

/** An operation names its authorizer, or the reason why it has none. */
export interface Security {
  readonly security?: readonly Readonly<Record<string, readonly never[]>>[];
  readonly 'x-amazon-apigateway-auth'?: { readonly type: 'NONE' };
  /** Why it has no authorizer. */
  readonly description?: string;
}

/** @param reason for readers of the API in AWS's console or in the template, and for `test/infra/nag.stack.test.ts` */
export const withoutAuthorizer = (reason: string): Security => ({
  description: reason,
  'x-amazon-apigateway-auth': { type: 'NONE' },
});

/**
 * Responses to paths and methods that no contract declares. API Gateway would respond with "missing authentication
 * token" to both, and would parse a bearer token as an AWS signature. So every resource has an `ANY` method that
 * responds without a function. A greedy `{proxy+}` at the root takes all undeclared paths.
 */

type Entrance = ReturnType<typeof entranceOf>;
type Preflight = NonNullable<ReturnType<typeof undeclared>['preflight']>;

const REASON = 'No function runs: it says what is not here, where the documentation is, or what pages may ask.';

/**
 * The responses of a path to methods that none of its routes has: to preflights where pages may call, at an entrance a
 * redirect to requests that read, else 405, or 404 where the path has no routes.
 */
export function undeclaredMethods(
  routes: readonly Route[],
  corsOrigins: readonly string[],
  entrance: Entrance | undefined,
): object {
  const { problem, preflight } = undeclared(routes, corsOrigins);
  const refusal = {
    status: problem.status ?? 404,
    ...gatewayResponse(problem, corsOrigins),
  };
  return mock([
    refusal,
    ...(preflight === undefined ? [] : [preflightResponse(preflight)]),
    ...(entrance === undefined ? [] : [redirectTo(entrance)]),
  ]);
}

interface MockResponse {
  readonly status: number;
  /** The methods that get it; undefined: all that get no other. */
  readonly methods?: readonly string[];
  /** In API Gateway's mapping syntax. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: the response has no body. */
  readonly template: string | undefined;
}

const PREFLIGHT = 204;
const CONVERT_TO_TEXT = 'CONVERT_TO_TEXT';

/**
 * Header mappings are the same for every request: they name the first origin, unless the template finds another allowed
 * one in the request. The CDK's own `addCorsPreflight` does the same, but adds a method to every resource.
 */
function preflightResponse({ origins: [first, ...others], headers }: Preflight): MockResponse {
  const quoted = Object.entries({ 'Access-Control-Allow-Origin': first, ...headers }).map(([name, value]) => [
    name,
    `'${value}'`,
  ]);
  // Short, because every path has it.
  const isOther = others.map((_, index) => `$o==$stageVariables.${variableName(index)}`).join('||');
  const template = [
    '#set($o=$input.params().header.get("Origin"))',
    '#if($o=="")#set($o=$input.params().header.get("origin"))#end',
    `#if(${isOther})#set($context.responseOverride.header.Access-Control-Allow-Origin=$o)#end`,
  ].join('\n');
  return {
    status: PREFLIGHT,
    methods: ['OPTIONS'],
    headers: { ...Object.fromEntries(quoted), 'X-Request-Id': 'context.requestId' },
    template: others.length === 0 ? undefined : template,
  };
}

/**
 * Below the stage's name at API Gateway's own address, whose first label is the id of the API; else at the root, as
 * under a custom domain (`../custom-domain.ts`). Nothing that the caller writes is in it.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
 */
const redirectTo = ({ status, methods, location, body }: Entrance): MockResponse => ({
  status,
  methods,
  headers: {
    Location: `'${location}'`,
    'Content-Type': "'application/json'",
    'Cache-Control': "'no-store'",
    'X-Request-Id': 'context.requestId',
  },
  template: [
    '#if($context.domainPrefix == $context.apiId)',
    `#set($context.responseOverride.header.Location = "/$context.stage${location}")`,
    `${body('/$context.stage')}#else${body('')}#end`,
  ].join(''),
});

const variableName = (index: number): string => `origin${index + 2}`;

/**
 * Stage variables with all origins but the first. Twenty long origins in every preflight would be a third of the
 * template. https://docs.aws.amazon.com/apigateway/latest/developerguide/aws-api-gateway-stage-variables-reference.html
 */
export const originVariables = ([, ...others]: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(others.map((origin, index) => [variableName(index), origin]));

/**
 * A mock integration needs a template for the media type of the request; it responds with 415 to others. Clients of
 * APIs send these. https://docs.aws.amazon.com/apigateway/latest/developerguide/integration-passthrough-behaviors.html
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

/** The first response, unless another one is for the method. */
function mock([standard, ...others]: readonly [MockResponse, ...MockResponse[]]): object {
  const responses = [standard, ...others];
  const template = `{"statusCode":${others.reduce(otherwise, String(standard.status))}}`;
  return {
    ...withoutAuthorizer(REASON),
    responses: Object.fromEntries(responses.map(declared)),
    'x-amazon-apigateway-integration': {
      type: 'mock',
      // All bodies arrive as bytes (`x-amazon-apigateway-binary-media-types`), which a mapping template cannot read.
      contentHandling: CONVERT_TO_TEXT,
      passthroughBehavior: 'never',
      requestTemplates: Object.fromEntries(MEDIA_TYPES.map((type) => [type, template])),
      responses: Object.fromEntries(responses.map(mapped)),
    },
  };
}

const otherwise = (status: string, other: MockResponse): string => {
  const isMeant = (other.methods ?? []).map((method) => `$context.httpMethod=="${method}"`).join('||');
  return `#if(${isMeant})${other.status}#{else}${status}#end`;
};

/** A response declares all headers that may be mapped to it: the gateway refuses to map others. */
const declared = ({ status, headers }: MockResponse) =>
  [
    String(status),
    {
      description: `${status} response`,
      headers: withValues(
        headers,
        (name) => name,
        () => TEXT,
      ),
    },
  ] as const;

const TEXT = { schema: { type: 'string' } } as const;

const mapped = ({ status, headers, template }: MockResponse, index: number) =>
  [
    index === 0 ? 'default' : String(status),
    {
      statusCode: String(status),
      contentHandling: CONVERT_TO_TEXT,
      responseParameters: withValues(
        headers,
        (name) => `method.response.header.${name}`,
        (value) => value,
      ),
      ...(template === undefined ? {} : { responseTemplates: { 'application/json': template } }),
    },
  ] as const;

const withValues = <T>(headers: MockResponse['headers'], key: (name: string) => string, to: (value: string) => T) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [key(name), to(value)]));
