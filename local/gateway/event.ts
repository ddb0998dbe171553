import { hash, randomUUID } from 'node:crypto';
import type {
  APIGatewayEventIdentity,
  APIGatewayEventRequestContext,
  APIGatewayProxyEvent,
  APIGatewayRequestAuthorizerEvent,
} from 'aws-lambda';
import type { Incoming } from './incoming.ts';
import type { Pair } from './reply.ts';
import type { Match } from './resources.ts';

/**
 * Builds the events that a REST API sends its functions (payload format 1.0):
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */

const ACCOUNT_ID = '000000000000';
const API_ID = 'local';
const REGION = 'eu-west-1';

/** A request that found its resource. */
export interface RoutedRequest {
  readonly requestId: string;
  /** `Root=1-…`, of the caller or made for this request. */
  readonly traceId: string;
  readonly stage: string;
  /** As the caller wrote it, with the stage where the address has one. */
  readonly calledPath: string;
  readonly incoming: Incoming;
  readonly match: Match;
}

/** The authorizer's response, as functions see it. */
export type AuthorizerValues = Readonly<Record<string, string | number>>;

/** ARN of the called method, which the authorizer's policy must allow. */
export const methodArn = ({ incoming, stage }: RoutedRequest): string =>
  `arn:aws:execute-api:${REGION}:${ACCOUNT_ID}:${API_ID}/${stage}/${incoming.method}${incoming.path}`;

/**
 * The event of a proxy integration.
 * The body comes in base64: the stack sets `binaryMediaTypes` to all types, the only setting under which every body
 * reaches the function byte for byte (any other setting decodes it as UTF-8, which changes other bytes and breaks a
 * webhook's HMAC).
 */
export function proxyEvent(routed: RoutedRequest, authorizer: AuthorizerValues | undefined): APIGatewayProxyEvent {
  const { body } = routed.incoming;
  return {
    ...commonParts(routed),
    requestContext: { ...requestContext(routed), authorizer },
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: body.length > 0,
  };
}

/** The event of a REQUEST authorizer. It never sees the body. */
export const authorizerEvent = (routed: RoutedRequest): APIGatewayRequestAuthorizerEvent => ({
  type: 'REQUEST',
  methodArn: methodArn(routed),
  ...commonParts(routed),
  requestContext: { ...requestContext(routed), authorizer: undefined },
});

function commonParts({ incoming, match, traceId }: RoutedRequest) {
  const forwarding = forwardingHeaders(incoming, traceId);
  const headers = [...incoming.headers.filter(([name]) => !FORWARDING.has(name.toLowerCase())), ...forwarding];
  return {
    resource: match.resource.path,
    path: incoming.path,
    httpMethod: incoming.method,
    headers: lastValues(headers) ?? {},
    multiValueHeaders: allValues(headers) ?? {},
    queryStringParameters: lastValues(incoming.query),
    multiValueQueryStringParameters: allValues(incoming.query),
    pathParameters: Object.keys(match.pathParameters).length === 0 ? null : { ...match.pathParameters },
    stageVariables: null,
  };
}

/** The caller's address comes last, after those that the caller has sent. */
const forwardingHeaders = (incoming: Incoming, traceId: string): Pair[] => [
  ['X-Amzn-Trace-Id', traceId],
  ['X-Forwarded-For', [headerOf(incoming, 'x-forwarded-for') ?? [], incoming.sourceIp].flat().join(', ')],
  ['X-Forwarded-Port', '443'],
  ['X-Forwarded-Proto', 'https'],
];

const FORWARDING: ReadonlySet<string> = new Set([
  'x-amzn-trace-id',
  'x-forwarded-for',
  'x-forwarded-port',
  'x-forwarded-proto',
]);

/**
 * The caller's trace, or a new one.
 * https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
 */
export function gatewayTraceIdOf(incoming: Incoming): string {
  const named = headerOf(incoming, 'x-amzn-trace-id');
  if (named !== undefined && /\bRoot=1-/.test(named)) return named;
  return `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomUUID().replaceAll('-', '').slice(8)}`;
}

// Both go through Object.fromEntries: a name such as `__proto__` is a name like any other.
const lastValues = (pairs: readonly Pair[]): Record<string, string> | null =>
  pairs.length === 0 ? null : Object.fromEntries(pairs);

function allValues(pairs: readonly Pair[]): Record<string, string[]> | null {
  if (pairs.length === 0) return null;
  const values = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(Array.from(values, ([name, group]) => [name, group.map(([, value]) => value)]));
}

function requestContext(routed: RoutedRequest): Omit<APIGatewayEventRequestContext, 'authorizer'> {
  const { calledPath, incoming, match, requestId, stage } = routed;
  const now = new Date();
  return {
    accountId: ACCOUNT_ID,
    apiId: API_ID,
    domainName: headerOf(incoming, 'host') ?? '',
    domainPrefix: API_ID,
    extendedRequestId: requestId.replaceAll('-', '').slice(0, 16),
    httpMethod: incoming.method,
    identity: identityOf(incoming),
    path: calledPath,
    protocol: `HTTP/${incoming.httpVersion}`,
    requestId,
    requestTime: commonLogTime(now),
    requestTimeEpoch: now.getTime(),
    resourceId: hash('sha256', match.resource.path).slice(0, 6),
    resourcePath: match.resource.path,
    stage,
  };
}

const identityOf = (incoming: Incoming): APIGatewayEventIdentity => ({
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp: incoming.sourceIp,
  user: null,
  userAgent: headerOf(incoming, 'user-agent') ?? null,
  userArn: null,
});

/** All values of a header, joined as RFC 9110 §5.3 does; undefined when it was not sent. */
export function headerOf({ headers }: Incoming, name: string): string | undefined {
  const values = headers.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** `20/Nov/2026:09:30:00 +0000` */
function commonLogTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
