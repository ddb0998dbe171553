/** The parts of OpenAPI and of AWS's extensions that the body of the API uses. */

/** By `get`, `head` …, or `x-amazon-apigateway-any-method` for all other methods. */
export type PathItem = Readonly<Record<string, ApiOperation>>;

export interface ApiOperation extends Security {
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers: Headers }>>;
  readonly 'x-amazon-apigateway-integration': FunctionIntegration | MockIntegration;
}

type Headers = Readonly<Record<string, { readonly schema: { readonly type: 'string' } }>>;

/** An operation names its authorizer, or the reason why it has none. */
export interface Security {
  readonly security?: readonly Readonly<Record<string, readonly never[]>>[];
  readonly 'x-amazon-apigateway-auth'?: { readonly type: 'NONE' };
  /** Why it has no authorizer. */
  readonly description?: string;
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-integration.html */
interface FunctionIntegration {
  readonly type: 'aws_proxy';
  readonly httpMethod: 'POST';
  readonly uri: string;
}

interface MockIntegration {
  readonly type: 'mock';
  readonly contentHandling: 'CONVERT_TO_TEXT';
  readonly passthroughBehavior: 'never';
  /** By media type. */
  readonly requestTemplates: Readonly<Record<string, string>>;
  /** By the status of the mock, or `default`. */
  readonly responses: Readonly<Record<string, MockResponse>>;
}

interface MockResponse {
  readonly statusCode: string;
  readonly contentHandling: 'CONVERT_TO_TEXT';
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates?: Readonly<Record<string, string>>;
}
