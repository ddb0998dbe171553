import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { Problem } from '#contract/problem';
import { mayDo } from '#identity';
import type { Authenticated } from './authenticated.ts';
import type { Routed } from './routed.ts';

/**
 * Requires the permission of the route.
 * @throws Problem `forbidden`
 */
export function authorized(): MiddlewareObj<Routed & Authenticated, APIGatewayProxyResult> {
  return {
    before: ({ event: { caller, matched } }) => {
      const { permission } = matched.route;
      if (caller === undefined || permission === undefined || mayDo(caller, permission)) return;
      throw new Problem('forbidden', { detail: `This needs the permission ${permission}.` });
    },
  };
}
