import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { clients } from '../../functions/clients/contract.ts';
import { logs } from '../../functions/logs/contract.ts';
import type { Route } from '../../shared/contract/index.ts';
import { authorizerContext } from '../../test/support/caller.ts';
import { proxyEventOf } from '../../test/support/proxy-event.ts';
import { REQUESTED_PAGE_SIZE } from '../peer/store.ts';
import type { OperationName } from './names.ts';

/** The measured requests, and the requests that create their records. */

/** A request, but for the id in its path. */
export interface Request {
  readonly route: Route;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

const client = (name: string): Readonly<Record<string, unknown>> => ({
  name: 'Acme Lda',
  slug: name,
  email: 'ops@acme.example',
  phone: 351210000000,
  plan: 'premium',
  metadata: { tier: 'gold', regions: ['north', 'south'] },
});

export const OPERATIONS: Readonly<Record<OperationName, Request>> = {
  get: { route: clients.routes.getClient },
  list: { route: clients.routes.listClients },
  'filtered list': { route: clients.routes.listClients, query: { status: 'inactive' } },
  create: { route: clients.routes.createClient, body: client('the-measured-one') },
  // A status that other clients have: for a new one a container makes a call that it does not repeat.
  patch: { route: clients.routes.updateClient, body: { status: 'inactive', plan: 'basic' } },
  'log ingest': {
    route: logs.routes.ingestLog,
    body: { level: 'warn', message: 'The disk is nearly full', metadata: { host: 'db-1', used: 0.93 } },
  },
};

/** More than two pages, every other one `inactive`. */
export const SEEDED_CLIENTS = Array.from({ length: 60 }, (_, index): Request => {
  const status = index % 2 === 0 ? 'active' : 'inactive';
  return { route: clients.routes.createClient, body: { ...client(`client-${index}`), status } };
});

const TOTALS: Partial<Record<OperationName, number>> = {
  list: SEEDED_CLIENTS.length,
  'filtered list': SEEDED_CLIENTS.length / 2,
};

/** @throws Error where a contender's response does not match the contract and the records */
export function checkResponse(operation: OperationName, { statusCode, body }: APIGatewayProxyResult): void {
  const { response } = OPERATIONS[operation].route;
  const value: { readonly data?: unknown[]; readonly total?: number } = JSON.parse(body);
  const isRight =
    statusCode === response.status &&
    response.schema?.safeParse(value).success &&
    value.total === TOTALS[operation] &&
    (value.data === undefined || value.data.length === REQUESTED_PAGE_SIZE);
  if (!isRight) throw new Error(`${operation} was answered ${statusCode} ${body.slice(0, 2_000)}`);
}

/** The organization, and its integration that sends every request. */
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
