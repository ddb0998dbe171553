import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { freeFormOf, maxBodyOf } from '#contract/derived';
import { type Parsed, parseWhere } from '#json';
import { invalidJson, jsonTextOf } from '../request/json-text.ts';
import type { Routed } from './routed.ts';

export interface WithJson {
  /** The parsed body, where the route has one. A webhook's body is parsed by its operation, after its signature. */
  json: Parsed | undefined;
}

type Event = APIGatewayProxyEvent & Routed & WithJson;

/**
 * Parses the body, and keeps unusual numbers of free-form JSON as they were written (`docs/decisions/0005-json-as-it-came.md`).
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export function jsonBody(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    before: ({ event }) => {
      const { matched, request: sent } = event;
      const { body, auth } = matched.route;
      if (body === undefined || auth === 'signature') return;
      const text = jsonTextOf(sent, maxBodyOf(matched.route));
      try {
        event.json = parseWhere(text, (json) => freeFormOf(body)?.isBounded(json) ?? false);
      } catch {
        throw invalidJson();
      }
    },
  };
}
