import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import type { Handle, HandlerOf } from '../contender.ts';
import { INVALID, NOT_FOUND, type PeerRoute, peerCallerOf } from './api.ts';

/** Handlers by hand: a function for each route, zod for its input, a status and JSON for its response. */

const response = (statusCode: number, body: object): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

async function serve({ params, query, body, route, run }: PeerRoute, event: APIGatewayProxyEvent, json: unknown) {
  const found = await run({
    caller: peerCallerOf(event),
    params: params?.parse(event.pathParameters),
    query: query?.parse(event.queryStringParameters ?? {}),
    body: body?.parse(json),
  });
  return found === undefined ? response(404, NOT_FOUND) : response(route.response.status, found);
}

const problemOf = (error: unknown): APIGatewayProxyResult | undefined =>
  error instanceof z.ZodError ? response(422, { ...INVALID, errors: error.issues }) : undefined;

const functionsOf = (routes: readonly PeerRoute[], functionOf: (route: PeerRoute) => Handle): HandlerOf => {
  const functions = new Map(routes.map((each) => [each.route, functionOf(each)]));
  return (route) => {
    const found = functions.get(route);
    if (found === undefined) throw new Error(`no function serves ${route.method} ${route.path}`);
    return found;
  };
};

/** Handlers with middy around them: its parser for JSON, and an error handler. */
export const middyFunctions = (routes: readonly PeerRoute[]): HandlerOf =>
  functionsOf(routes, (each) => {
    const chain = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
      .use(each.body === undefined ? [] : [httpJsonBodyParser()])
      .use({
        onError: (request) => {
          request.response = problemOf(request.error) ?? response(500, {});
        },
      })
      .handler((event) => serve(each, event, event.body));
    return (event, context) => chain(event, context);
  });

/** With nothing around them. */
export const bareFunctions = (routes: readonly PeerRoute[]): HandlerOf =>
  functionsOf(routes, (each) => async (event) => {
    const { body, isBase64Encoded } = event;
    const text = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString();
    try {
      return await serve(each, event, each.body === undefined ? undefined : JSON.parse(text));
    } catch (error) {
      return problemOf(error) ?? response(500, {});
    }
  });
