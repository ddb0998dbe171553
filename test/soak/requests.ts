import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { handler as clients } from '../../functions/clients/handler.ts';
import { handler as webhooks } from '../../functions/webhooks/handler.ts';
import { sign } from '../../functions/webhooks/signature.ts';
import type { Sender } from './stage.ts';

/** The two requests of a run, given to the Lambda handlers as API Gateway gives them. */

/** Of a function's time 1.5 s are kept back for the answer. In milliseconds. */
const FUNCTION_TIME = 2_000;

interface Sent {
  readonly resource: string;
  readonly pathParameters: Readonly<Record<string, string>> | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorizer: Readonly<Record<string, string>> | null;
  readonly body: string;
}

interface Client {
  readonly name: string;
  readonly slug?: string;
}

/** Delivers an event that creates a client. */
export function deliver({ appCode, secret }: Sender, eventId: string, client: Client): Promise<APIGatewayProxyResult> {
  const body = JSON.stringify({ event_type: 'client.created', data: client });
  const event = eventOf({
    resource: '/api/v1/webhooks/{app_code}',
    pathParameters: { app_code: appCode },
    headers: { 'X-Signature': sign(body, secret), 'X-Event-ID': eventId },
    authorizer: null,
    body,
  });
  return webhooks(event, context());
}

/** Creates a client under an idempotency key. */
export function create(sender: Sender, key: string, client: Client): Promise<APIGatewayProxyResult> {
  const authorizer = {
    integration_id: sender.integrationId,
    app_code: sender.appCode,
    org_id: sender.orgId,
    expires_at: String(Math.floor(Date.now() / 1000) + 600),
    token_id: randomUUID(),
    token_epoch: '0',
    secret_id: '',
    permissions: '*',
    rate_limit: '',
  };
  const body = JSON.stringify(client);
  const headers = { 'Idempotency-Key': key };
  return clients(eventOf({ resource: '/api/v1/clients', pathParameters: null, headers, authorizer, body }), context());
}

/** What the handlers read of an event. */
const eventOf = ({ resource, pathParameters, headers, authorizer, body }: Sent): APIGatewayProxyEvent =>
  ({
    httpMethod: 'POST',
    resource,
    pathParameters,
    multiValueHeaders: Object.fromEntries(
      Object.entries({ 'Content-Type': 'application/json', ...headers }).map(([name, value]) => [name, [value]]),
    ),
    multiValueQueryStringParameters: null,
    requestContext: { requestId: randomUUID(), identity: { sourceIp: '127.0.0.1' }, authorizer },
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  }) as unknown as APIGatewayProxyEvent;

function context(): Context {
  const end = Date.now() + FUNCTION_TIME;
  return { getRemainingTimeInMillis: () => end - Date.now() } as Context;
}
