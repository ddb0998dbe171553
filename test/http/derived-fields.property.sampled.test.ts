import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { differencesOf } from '../operator/damaged-tenant.ts';
import type { JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { byExtent } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { newMessage, newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, NOWHERE } from './api-driver.ts';

/**
 * What a client derives from its tickets, services and resources follows their references, by whatever way and in whatever order these change: its
 * fields equal a recount of the records after each step. A refused request moves nothing.
 */

const api = useApi();
const org = prepared(() => api.orgToken());
const mine = prepared(async () => apiDriverOf(api, org.token));

/** The ways by which an operation is carried out. */
const way = fc.constantFrom('request', 'batch', 'webhook');
const at = fc.nat(1);
const which = fc.option(fc.nat(1), { freq: 2 });
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ does: fc.constant('open' as const), client: which, way }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('move' as const), at, client: which, way }) },
  fc.record({ does: fc.constant('say' as const), at, way }),
  fc.record({ does: fc.constant('close' as const), at, way }),
  fc.record({ does: fc.constant('delete' as const), at, way }),
  fc.record({ does: fc.constant('open with a code that is taken' as const), client: which, way }),
  fc.record({ does: fc.constant('move to a service that does not exist' as const), at, client: which, way }),
  fc.record({ does: fc.constant('add resource' as const), client: fc.nat(1), service: fc.boolean(), way }),
  fc.record({ does: fc.constant('upsert resource' as const), client: fc.nat(1), service: fc.boolean() }),
  fc.record({ does: fc.constant('move resource' as const), at, service: fc.boolean(), way }),
  fc.record({ does: fc.constant('report' as const), at, health: fc.constantFrom('healthy', 'down'), way }),
  fc.record({ does: fc.constant('remove resource' as const), at, way }),
  fc.record({
    does: fc.constant('give' as const),
    of: fc.constantFrom('services', 'resources'),
    at,
    client: fc.nat(1),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly event: string;
  /** The field of an event with the id in the path. */
  readonly idField?: string;
}
const TICKET = { path: '/tickets/{id}', idField: 'id' };
const RESOURCE = { path: '/resources/{id}', idField: 'id' };
const OPERATIONS = {
  createTicket: { id: 'createTicket', method: 'POST', path: '/tickets', event: 'ticket.created' },
  updateTicket: { id: 'updateTicket', method: 'PATCH', ...TICKET, event: 'ticket.updated' },
  deleteTicket: { id: 'deleteTicket', method: 'DELETE', ...TICKET, event: 'ticket.deleted' },
  createTicketMessage: {
    ...{ id: 'createTicketMessage', method: 'POST', path: '/tickets/{id}/messages' },
    ...{ event: 'ticket_message.created', idField: 'ticket_id' },
  },
  createResource: { id: 'createResource', method: 'POST', path: '/resources', event: 'resource.created' },
  updateResource: { id: 'updateResource', method: 'PATCH', ...RESOURCE, event: 'resource.updated' },
  deleteResource: { id: 'deleteResource', method: 'DELETE', ...RESOURCE, event: 'resource.deleted' },
} satisfies Record<string, Operation>;

/** Carries out an operation. Responses are not looked at: what it did is read. */
async function carryOut(name: keyof typeof OPERATIONS, by: string, id?: string, body?: JsonBody): Promise<void> {
  const { method, path, event, idField }: Operation = OPERATIONS[name];
  if (by === 'webhook') {
    await deliver(api, org, { event_type: event, data: { ...body, ...(idField && { [idField]: id }) } });
  } else if (by === 'batch') {
    await mine.post('/batch', {
      operations: [{ key: randomUUID(), operation: name, ...(id && { params: { id } }), body }],
    });
  } else {
    await api.request(method, `/api/v1${path.replace('{id}', String(id))}`, { token: org.token, body });
  }
}

class Story {
  readonly clients: readonly string[];
  readonly #services: readonly string[];
  /** The latest contact of each client that was ever there. */
  readonly #contacts = new Map<string, string>();

  private constructor(clients: readonly string[], services: readonly string[]) {
    this.clients = clients;
    this.#services = services;
  }

  static async begin(): Promise<Story> {
    const clients = [(await mine.client()).id, (await mine.client()).id];
    const services = await Promise.all(clients.map((client_id) => mine.service({ client_id })));
    return new Story(
      clients,
      services.map(({ id }) => id),
    );
  }

  /** Records are named by position, the latest first; some do not exist. */
  async take(step: Step): Promise<void> {
    const client_id = 'client' in step && step.client !== null ? this.clients[step.client] : null;
    const ticket = async () => idAt(await recordsOf('/tickets?view=full'), 'at' in step ? step.at : 0);
    const resource = async () => idAt(await recordsOf('/resources'), 'at' in step ? step.at : 0);
    switch (step.does) {
      case 'open':
        return carryOut('createTicket', step.way, undefined, newTicket({ client_id }));
      case 'move':
        return carryOut('updateTicket', step.way, await ticket(), { client_id });
      case 'say':
        return carryOut('createTicketMessage', step.way, await ticket(), newMessage());
      case 'close':
        return carryOut('updateTicket', step.way, await ticket(), { status: 'closed' });
      case 'delete':
        return carryOut('deleteTicket', step.way, await ticket());
      case 'open with a code that is taken': {
        const ticket_code = (await recordsOf('/tickets'))[0]?.ticket_code ?? 'X-1';
        return carryOut('createTicket', step.way, undefined, newTicket({ client_id, ticket_code }));
      }
      case 'move to a service that does not exist':
        return carryOut('updateTicket', step.way, await ticket(), { client_id, service_id: NOWHERE });
      case 'add resource':
        return carryOut('createResource', step.way, undefined, this.#resource(step));
      case 'upsert resource':
        await mine.put(`/resources?external_id=${client_id}`, this.#resource(step));
        return;
      case 'move resource': {
        const [found] = (await recordsOf('/resources')).slice(step.at);
        const service_id = step.service ? this.#services[this.clients.indexOf(String(found?.client_id))] : null;
        return carryOut('updateResource', step.way, String(found?.id ?? NOWHERE), { service_id });
      }
      case 'report':
        return carryOut('updateResource', step.way, await resource(), { health_status: step.health });
      case 'remove resource':
        return carryOut('deleteResource', step.way, await resource());
      case 'give':
        await mine.post(`/${step.of}/${idAt(await recordsOf(`/${step.of}`), step.at)}/move`, { client_id });
        return;
    }
  }

  #resource({ client, service }: { readonly client: number; readonly service: boolean }): JsonBody {
    const service_id = service ? this.#services[client] : null;
    return { client_id: this.clients[client], service_id, name: 'R', type: 'vm', health_status: 'degraded' };
  }

  /** The derived fields of a client, as they are and as they should be. */
  async compare(client: string): Promise<void> {
    const [{ body }, tickets, services, resources] = await Promise.all([
      mine.get(`/clients/${client}`),
      recordsOf(`/tickets?client_id=${client}`),
      recordsOf(`/services?client_id=${client}`),
      recordsOf(`/resources?client_id=${client}`),
    ]);
    const messages = await Promise.all(tickets.map(({ id }) => recordsOf(`/tickets/${id}/messages`, '')));
    const times = [...tickets, ...messages.flat()].map(({ created_at }) => String(created_at));
    const before = this.#contacts.get(client);
    const latest = [...times, ...(before === undefined ? [] : [before])].toSorted().at(-1);
    if (latest !== undefined) this.#contacts.set(client, latest);
    const { services_count, total_resources, has_risks, last_contact } = body;
    expect({ services_count, total_resources, has_risks, last_contact }).toEqual({
      services_count: services.length,
      total_resources: resources.length,
      has_risks: [...services, ...resources].some(({ health_status }) => health_status !== 'healthy'),
      last_contact: latest ?? null,
    });
  }
}

const idAt = (records: readonly JsonBody[], position: number): string => String(records[position]?.id ?? NOWHERE);

const recordsOf = async (path: string, query = `${path.includes('?') ? '&' : '?'}page_size=200`) =>
  (await mine.get(`${path}${query}`)).body.data as JsonBody[];

it("a client's fields follow its records, by whatever way these come, move and go", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 20 }), async (steps) => {
      const story = await Story.begin();
      for (const each of steps) {
        await story.take(each);
        await Promise.all(story.clients.map((client) => story.compare(client)));
      }
      expect(await differencesOf(org.orgId)).toEqual([]);
    }),
    { numRuns: byExtent({ sample: 1, extended: 6, nightly: 100 }) },
  );
});
