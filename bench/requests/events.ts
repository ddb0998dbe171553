import { randomUUID } from 'node:crypto';
import { authorizerContext } from '../../test/support/caller.ts';
import { proxyEventOf } from '../proxy-event.ts';
import type { Request } from './operations.ts';

/** The organization, and the integration of it that sends every request. */
const ORG = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
const INTEGRATION = '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35';

const PERMISSIONS = ['clients', 'resources', 'logs', 'services', 'tickets'].flatMap((domain) => [
  `${domain}:read`,
  `${domain}:write`,
]);

/** About as long as a token is. */
const AUTHORIZATION = `Bearer ${'x'.repeat(600)}`;

/** The event of a request as JSON, parsed anew each time that it is sent, as in Lambda. */
export const eventOf = ({ route, query, body }: Request, id = ''): string =>
  JSON.stringify(
    proxyEventOf({
      route,
      path: route.path.replace(/\{\w+\}/, id),
      query,
      body,
      headers: { Authorization: AUTHORIZATION },
      caller: authorizerContext(ORG, {
        integration_id: INTEGRATION,
        app_code: 'acme-sync',
        token_id: randomUUID(),
        secret_id: randomUUID(),
        permissions: PERMISSIONS.join(' '),
      }),
    }),
  );
