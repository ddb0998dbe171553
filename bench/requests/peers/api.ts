import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { clients } from '../../../functions/clients/contract.ts';
import { logs } from '../../../functions/logs/contract.ts';
import { resources } from '../../../functions/resources/contract.ts';
import type { Route } from '../../../shared/contract/index.ts';
import * as schemas from './schemas.ts';
import type { PeerCaller, Store } from './store.ts';

/** A route of the peers' API: each framework checks its input by these schemas and calls `run`. */
export interface PeerRoute {
  readonly route: Route;
  readonly params?: z.ZodType<{ readonly id: string }>;
  readonly query?: z.ZodType<{ readonly status?: string | undefined }>;
  readonly body?: z.ZodType;
  /** The response; undefined where there is no such record. */
  readonly run: (input: PeerInput) => Promise<object | undefined>;
}

export interface PeerInput {
  readonly caller: PeerCaller;
  readonly params?: { readonly id: string } | undefined;
  readonly query?: { readonly status?: string | undefined } | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: it has passed the schema of its route
  readonly body?: any;
}

const id = ({ params }: PeerInput): string => params?.id ?? '';

export const peerRoutes = (store: Store): readonly PeerRoute[] => [
  {
    route: clients.routes.getClient,
    params: schemas.params,
    run: (input) => store.getClient(input.caller.org, id(input)),
  },
  {
    route: clients.routes.listClients,
    query: schemas.listQuery,
    run: ({ caller, query }) => store.listClients(caller.org, query?.status),
  },
  {
    route: clients.routes.createClient,
    body: schemas.newClient,
    run: ({ caller, body }) => store.createClient(caller, body),
  },
  {
    route: clients.routes.updateClient,
    params: schemas.params,
    body: schemas.patchedClient,
    run: (input) => store.patchClient(input.caller, id(input), input.body),
  },
  { route: resources.routes.listResources, run: ({ caller }) => store.listResources(caller.org) },
  {
    route: resources.routes.createResource,
    body: schemas.newResource,
    run: ({ caller, body }) => store.createResource(caller.org, body),
  },
  {
    route: logs.routes.ingestLog,
    body: schemas.newLogEntry,
    run: async ({ caller, body }) => ({ id: (await store.ingestLog(caller.org, body)).id, received: true }),
  },
];

/** The caller, as the authorizer has verified it. */
export function peerCallerOf(event: Pick<APIGatewayProxyEvent, 'requestContext'>): PeerCaller {
  const { org_id, integration_id } = event.requestContext.authorizer ?? {};
  return { org: String(org_id), integrationId: String(integration_id) };
}

export const NOT_FOUND = { type: 'urn:problem-type:not-found', title: 'Not found', status: 404 } as const;
export const INVALID = { type: 'urn:problem-type:invalid', title: 'Invalid request', status: 422 } as const;
