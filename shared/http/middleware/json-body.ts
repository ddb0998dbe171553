import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Parsed } from '#json';
import { bodyTextOf, invalidJson, parsedBody } from '../request/json-text.ts';
import type { Routed } from './routed.ts';

export interface WithJson {
  /** The parsed body, where the route has one. NDJSON is parsed before (`ndjson-body.ts`). A webhook's body is parsed by its operation, after its signature. */
  json: Parsed | undefined;
}

type Event = APIGatewayProxyEvent & Routed & WithJson;

/**
 * Parses the body (`docs/decisions/0005-json-as-it-came.md`).
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export function jsonBody(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    before: ({ event }) => {
      const { route } = event.matched;
      if (route.body === undefined || route.auth === 'signature' || event.json !== undefined) return;
      const text = bodyTextOf(route, event.request);
      try {
        event.json = parsedBody(route, text);
      } catch {
        throw invalidJson(text);
      }
    },
  };
}
