import { clients } from '../../functions/clients/contract.ts';
import { logs } from '../../functions/logs/contract.ts';
import { resources } from '../../functions/resources/contract.ts';
import type { Route } from '../../shared/contract/index.ts';
import type { OperationName } from './names.ts';

/** The measured requests, and the requests that create their records. */

export const REQUESTED_PAGE_SIZE = 25;

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
  'list of resources': { route: resources.routes.listResources },
  create: { route: clients.routes.createClient, body: client('the-measured-one') },
  // A status that others have: a container notes a new one by a call that it does not repeat.
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

/** Records have all fields but `credentials`, which the peers do not encrypt: about 2.5 KB each. */
export const seededResources = (clientId: string): Request[] =>
  Array.from({ length: 30 }, (_, index) => ({
    route: resources.routes.createResource,
    body: {
      client_id: clientId,
      name: `Web server ${index}`,
      type: 'vm',
      description: 'Serves the public site and the shop, behind the load balancer of the second hall. '.repeat(6),
      provider: 'local',
      external_id: `i-0a1b2c3d${index}`,
      location: 'Lisbon',
      ip_address: '192.0.2.10',
      status: 'active',
      specifications: {
        cores: 4,
        memory_gb: 16,
        disks: [
          { name: 'sda', gb: 500 },
          { name: 'sdb', gb: 2_000 },
        ],
      },
      limits: { connections: 500, requests_per_second: 1_000 },
      metadata: Object.fromEntries(
        Array.from({ length: 20 }, (_, key) => [`label-${key}`, `value of label ${key}, with words`]),
      ),
      tags: ['web', 'shop', 'lisbon'],
      cpu_usage: 42.5,
      memory_usage: 61,
      storage_usage: 30,
      alert_threshold: 90,
      monthly_cost: 45,
      provisioned_at: '2026-11-01T08:00:00.000Z',
    },
  }));
