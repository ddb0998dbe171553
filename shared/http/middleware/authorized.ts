import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { Problem } from '#contract/problem';
import { mayDo } from '#identity';
import type { Authenticated } from './authenticated.ts';
import type { Routed } from './routed.ts';

/**
 * Requires the kind of caller and the permission of the route, where it has one.
 * @throws Problem `forbidden`
 */
export function authorized(): MiddlewareObj<Routed & Authenticated, APIGatewayProxyResult> {
  return {
    before: ({ event: { caller, matched } }) => {
      const { permission, callers } = matched.route;
      if (callers === 'platform' && caller !== undefined && caller.orgId !== null) {
        throw new Problem('forbidden', {
          detail: 'This is for platform callers, those who operate this service: the token is of an organization.',
        });
      }
      if (caller === undefined || !permission || mayDo(caller, permission)) return;
      throw new Problem('forbidden', { detail: `This needs the permission ${permission}.` });
    },
  };
}
