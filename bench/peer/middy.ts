import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import * as z from 'zod';
import type { Route } from '../../shared/contract/index.ts';
import { type PeerRoute, peerRoutes } from './routes.ts';
import { type PeerCaller, Store } from './store.ts';

type Handle = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * The API as others build it: a function for each route, with middy's parser for JSON, zod for its input, and the
 * document client.
 * @param config of the client
 */
export function middyPeer(config: DynamoDBClientConfig, tableName: string): (route: Route) => Handle {
  const store = new Store(DynamoDBDocumentClient.from(new DynamoDBClient(config)), tableName);
  const functions = new Map(peerRoutes(store).map((each) => [each.route, functionOf(each)]));
  return (route) => {
    const found = functions.get(route);
    if (found === undefined) throw new Error(`no function serves ${route.method} ${route.path}`);
    return found;
  };
}

function functionOf(route: PeerRoute): Handle {
  const chain = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(route.body === undefined ? [] : [httpJsonBodyParser()])
    .use({
      onError: (request) => {
        request.response = problemOf(request.error);
      },
    })
    .handler((event) => serve(route, event));
  return (event, context) => chain(event, context);
}

async function serve({ params, query, body, route, run }: PeerRoute, event: APIGatewayProxyEvent) {
  const found = await run({
    caller: callerOf(event),
    params: params?.parse(event.pathParameters),
    query: query?.parse(event.queryStringParameters ?? {}),
    body: body?.parse(event.body),
  });
  return found === undefined ? response(404, NOT_FOUND) : response(route.response.status, found);
}

/** The caller, as the authorizer has verified it. */
function callerOf(event: Pick<APIGatewayProxyEvent, 'requestContext'>): PeerCaller {
  const { org_id, integration_id } = event.requestContext.authorizer ?? {};
  return { org: String(org_id), integrationId: String(integration_id) };
}

const response = (statusCode: number, body: object): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

const NOT_FOUND = { type: 'urn:problem-type:not-found', title: 'Not found', status: 404 } as const;
const INVALID = { type: 'urn:problem-type:invalid', title: 'Invalid request', status: 422 } as const;

const problemOf = (error: unknown): APIGatewayProxyResult =>
  error instanceof z.ZodError ? response(422, { ...INVALID, errors: error.issues }) : response(500, {});
