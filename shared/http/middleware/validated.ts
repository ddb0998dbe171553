import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { validFields, validParams, validQuery } from '../validate.ts';
import type { WithJson } from './json-body.ts';
import type { Routed } from './routed.ts';

/** What the route's schemas made of the request. */
export interface Input {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface Validated {
  input: Input;
}

/**
 * Checks path, query and body against the route. A webhook's body is checked by its operation, after its signature.
 * @throws Problem `invalid-parameter`, `invalid-body` or `content-too-large`
 */
export function validated(): MiddlewareObj<Routed & WithJson & Validated, APIGatewayProxyResult> {
  return {
    before: ({ event }) => {
      const { request, json, matched } = event;
      const { route } = matched;
      event.input = {
        params: validParams(route, request),
        query: validQuery(route, request),
        body: json === undefined || route.body === undefined ? undefined : validFields(route.body, json),
      };
    },
  };
}
