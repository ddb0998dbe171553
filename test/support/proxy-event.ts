import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route } from '../../shared/contract/index.ts';
import type { AuthorizerContext, UserContext } from '../../shared/identity/index.ts';

/** A request as parsed by the gateway. */
export interface GatewayRequest {
  readonly route: Route;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Headers besides those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The authorizer's context of the caller. */
  readonly caller?: AuthorizerContext | UserContext | undefined;
}

/** The headers of a client library and of the gateway. */
const HEADERS: Readonly<Record<string, string>> = {
  Accept: 'application/json',
  'Accept-Encoding': 'gzip, deflate, br',
  'Content-Type': 'application/json',
  Host: 'api.example.com',
  'User-Agent': 'acme-sync/4.2 (node 24)',
  'X-Amzn-Trace-Id': 'Root=1-6740aa10-5f2c8c0f3ab54c7e9d0e1f22',
  'X-Forwarded-For': '192.0.2.44',
  'X-Forwarded-Port': '443',
  'X-Forwarded-Proto': 'https',
};

/** The event of a request. The body is in base64, because the stack treats all media types as binary. */
export function proxyEventOf({ route, path, query, headers, body, caller }: GatewayRequest): APIGatewayProxyEvent {
  const all = { ...HEADERS, ...headers };
  return {
    resource: route.path,
    path,
    httpMethod: route.method,
    headers: all,
    multiValueHeaders: listed(all),
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: query === undefined ? null : listed(query),
    pathParameters: parametersIn(route.path, path),
    stageVariables: null,
    requestContext: {
      accountId: '111122223333',
      apiId: 'a1b2c3d4e5',
      authorizer: caller,
      domainName: 'api.example.com',
      domainPrefix: 'api',
      extendedRequestId: 'JKJaXmPLvHcESHA=',
      httpMethod: route.method,
      identity: {
        sourceIp: '192.0.2.44',
        userAgent: HEADERS['User-Agent'],
      } as APIGatewayProxyEvent['requestContext']['identity'],
      path,
      protocol: 'HTTP/1.1',
      requestId: randomUUID(),
      requestTime: '20/Nov/2026:09:30:00 +0000',
      requestTimeEpoch: 1_795_167_000_000,
      resourceId: '0gm9xd',
      resourcePath: route.path,
      stage: 'prod',
    },
    body: body === undefined ? null : Buffer.from(JSON.stringify(body)).toString('base64'),
    isBase64Encoded: body !== undefined,
  };
}

const listed = (values: Readonly<Record<string, string>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

/** `{ id: … }` for `/api/v1/clients/{id}` */
function parametersIn(resource: string, path: string): Record<string, string> | null {
  const segments = path.split('/');
  const named = resource
    .split('/')
    .flatMap((segment, index) => (segment.startsWith('{') ? [[segment.slice(1, -1), segments[index] ?? '']] : []));
  return named.length === 0 ? null : Object.fromEntries(named);
}
