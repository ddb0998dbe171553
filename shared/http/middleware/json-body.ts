import type { MiddlewareObj, Request } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { mayHaveUnusualNumbers, type Parsed } from '#json';
import { bodyTextOf, invalidJson, parsedBody } from '../request/json-text.ts';
import type { Routed } from './routed.ts';

export interface WithJson {
  /** The parsed body, where the route has one. NDJSON is parsed before (`ndjson-body.ts`). A webhook's body is parsed by its operation, after its signature. */
  json: Parsed | undefined;
}

type Event = APIGatewayProxyEvent & Routed & WithJson;

/** Longest text that middy parses, in characters: it calls a reviver for every value, which takes many times as long as parsing. */
const LONGEST_FOR_MIDDY = 16_384;
/** Names that middy refuses, but free-form JSON may contain. */
const REFUSED_NAME = /__proto__|constructor|\\u/;

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

/**
 * Parses the body with `@middy/http-json-body-parser`, or with our own parser where middy would change or refuse it or take long
 * (`docs/decisions/0005-json-as-it-came.md`).
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export function jsonBody(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    before: (request) => {
      const { matched, request: sent } = request.event;
      const { route } = matched;
      if (route.body === undefined || route.auth === 'signature' || request.event.json !== undefined) return;
      const text = bodyTextOf(route, sent);
      try {
        request.event.json = isUsual(text) ? parsedByMiddy(request, text) : parsedBody(route, text);
      } catch {
        throw invalidJson(text);
      }
    },
  };
}

const isUsual = (text: string): boolean =>
  text.length <= LONGEST_FOR_MIDDY && !mayHaveUnusualNumbers(text) && !REFUSED_NAME.test(text);

function parsedByMiddy(request: Request<Event, APIGatewayProxyResult>, text: string): Parsed {
  const event: APIGatewayProxyEvent = { ...request.event, body: text, isBase64Encoded: false };
  parser.before?.({ ...request, event });
  return { value: event.body, isExact: true };
}
