import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { takesHeader } from '#contract/derived';
import type { Input } from '../operation.ts';
import { LENIENT, prefersLenient, type ReadOnlyFields, readOnlyFieldsIn } from '../request/read-only-fields.ts';
import { validFields, validParams, validQuery } from '../request/validate.ts';
import type { WithJson } from './json-body.ts';
import type { Routed } from './routed.ts';

export interface Validated {
  input: Input;
  /** The values in the body of fields that it cannot set; none where the caller prefers to have them ignored. */
  readOnlyFields: ReadOnlyFields;
  isLenient: boolean;
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
      event.isLenient = takesHeader(route, 'Prefer') && prefersLenient(request);
      event.readOnlyFields =
        json === undefined || route.body === undefined || event.isLenient
          ? {}
          : readOnlyFieldsIn(route.body, json.value);
    },
    after: ({ event, response }) => {
      if (!event.isLenient || !response) return;
      const { 'Preference-Applied': others } = response.headers ?? {};
      const applied = others === undefined ? LENIENT : `${others}, ${LENIENT}`;
      response.headers = { ...response.headers, 'Preference-Applied': applied };
    },
  };
}
