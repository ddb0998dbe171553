import { HttpStatusCodes, Router } from '@aws-lambda-powertools/event-handler/http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { HandlerOf } from '../contender.ts';
import { NOT_FOUND, type PeerRoute, peerCallerOf } from './api.ts';

/** Powertools' event handler: its router, its validation of the request by zod's schemas, its errors. */
export function powertoolsFunctions(routes: readonly PeerRoute[]): HandlerOf {
  const app = new Router();
  for (const { route, params, query, body, run } of routes) {
    const path = route.path.replace(/\{(\w+)\}/, ':$1') as `/${string}`;
    const req = { ...(params && { path: params }), ...(query && { query }), ...(body && { body }) };
    const validation = Object.keys(req).length === 0 ? {} : { validation: { req } };
    const options = { method: route.method, path, ...validation };
    app.route(
      async (context) => {
        const event = context.event as APIGatewayProxyEvent;
        const valid = ('valid' in context ? (context.valid as { req?: Record<string, never> }).req : {}) ?? {};
        const found = await run({
          caller: peerCallerOf(event),
          params: valid.path,
          query: valid.query,
          body: valid.body,
        });
        return found === undefined
          ? { statusCode: HttpStatusCodes.NOT_FOUND, body: JSON.stringify(NOT_FOUND) }
          : {
              statusCode: route.response.status,
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify(found),
            };
      },
      options as Parameters<typeof app.route>[1],
    );
  }
  return () => (event, context) => app.resolve(event, context) as ReturnType<ReturnType<HandlerOf>>;
}
