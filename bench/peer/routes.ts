import * as z from 'zod';
import { clients } from '../../functions/clients/contract.ts';
import { logs } from '../../functions/logs/contract.ts';
import type { Route } from '../../shared/contract/index.ts';
import type { PeerCaller, Store } from './store.ts';

/** The peer's API: routes with schemas of their input, as written by hand. */

const json = z.record(z.string(), z.unknown());

const client = z.strictObject({
  name: z.string().min(1).max(200),
  slug: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .nullable(),
  timezone: z.string().min(1).max(64),
  status: z.string().regex(/^[a-z0-9_-]{1,50}$/),
  metadata: json.nullable(),
  email: z.email().nullable(),
  phone: z.int().min(0).nullable(),
  plan: z.string().max(100).nullable(),
});

const newClient = client.extend({
  slug: client.shape.slug.default(null),
  timezone: client.shape.timezone.default('Europe/Lisbon'),
  status: client.shape.status.default('active'),
  metadata: client.shape.metadata.default(null),
  email: client.shape.email.default(null),
  phone: client.shape.phone.default(null),
  plan: client.shape.plan.default(null),
});

const patchedClient = client.omit({ slug: true }).partial();

const newLogEntry = z.strictObject({
  level: z.enum(['info', 'warn', 'error', 'debug']),
  message: z.string().min(1).max(20_000),
  metadata: json.default({}),
});

/** Only the first page is read: the peer could reach others only by reading all pages before. */
const listQuery = z.strictObject({ status: client.shape.status.optional() });

const params = z.strictObject({ id: z.uuid() });

export interface PeerRoute {
  readonly route: Route;
  readonly params?: z.ZodType<{ readonly id: string }>;
  readonly query?: z.ZodType<{ readonly status?: string | undefined }>;
  readonly body?: z.ZodType;
  /** The response; undefined where there is no such record. */
  readonly run: (input: PeerInput) => Promise<object | undefined>;
}

interface PeerInput {
  readonly caller: PeerCaller;
  readonly params?: { readonly id: string } | undefined;
  readonly query?: { readonly status?: string | undefined } | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: it has passed the schema of its route
  readonly body?: any;
}

const idIn = ({ params: given }: PeerInput): string => given?.id ?? '';

export const peerRoutes = (store: Store): readonly PeerRoute[] => [
  { route: clients.routes.getClient, params, run: (input) => store.getClient(input.caller.org, idIn(input)) },
  {
    route: clients.routes.listClients,
    query: listQuery,
    run: ({ caller, query }) => store.listClients(caller.org, query?.status),
  },
  {
    route: clients.routes.createClient,
    body: newClient,
    run: ({ caller, body }) => store.createClient(caller, body),
  },
  {
    route: clients.routes.updateClient,
    params,
    body: patchedClient,
    run: (input) => store.patchClient(input.caller, idIn(input), input.body),
  },
  {
    route: logs.routes.ingestLog,
    body: newLogEntry,
    run: async ({ caller, body }) => ({ id: (await store.ingestLog(caller.org, body)).id, received: true }),
  },
];
