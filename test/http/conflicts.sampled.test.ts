import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { configureTable } from '#table';
import type { OrgAccess } from '../support/api.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { byExtent } from '../support/extent.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Many concurrent callers of one organization, where transactions conflict as in DynamoDB: nothing is lost or
 * duplicated, and little is sent twice.
 */

const WRITERS = byExtent({ sample: 16, extended: 32, nightly: 64 });
const EACH = 2;

const api = useApi({ limits: { functionMs: 600_000, inFlight: 64 } });
let org: OrgAccess;
/** Simulates this number of transactions under way in DynamoDB, however quickly this process sends them. */
const conflicts = new Conflicts({ sends: 16 });
beforeAll(async () => {
  configureTable({ requestHandler: new ConflictingHandler(conflicts) });
  // No request times out, however slow the machine is.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
beforeEach(async () => {
  org = await api.orgToken();
});

interface Created {
  readonly id: string;
  readonly created_at: string;
}

async function create(path: string, body: object): Promise<Created> {
  const response = await api.request<Created>('POST', `/api/v1${path}`, { token: org.token, body });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body;
}

const createClient = async (name: string): Promise<string> => (await create('/clients', { name })).id;

const createTicket = (client_id: string): Promise<Created> =>
  create('/tickets', {
    client_id,
    contact_id: client_id,
    subject: 'VPN down',
    description: 'Since 8:00.',
    source: 'email',
  });

async function listed(path: string): Promise<{ readonly total: number; readonly ids: readonly string[] }> {
  const { status, body } = await api.request<{ data: { id: string }[]; total: number }>('GET', `/api/v1${path}`, {
    token: org.token,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return { total: body.total, ids: body.data.map(({ id }) => id) };
}

/** All writers at once, each with some records in sequence. @returns transactions sent per committed one */
async function sendsPerSuccess(write: (writer: number) => Promise<unknown>): Promise<number> {
  conflicts.reset();
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let index = 0; index < EACH; index++) await write(writer);
    }),
  );
  const sends = conflicts.transactions / (WRITERS * EACH);
  conflicts.reset();
  return sends;
}

describe('many writers of one organization', () => {
  it('create tickets of different clients', async () => {
    const clients = await Promise.all(Array.from({ length: WRITERS }, (_, index) => createClient(`Client ${index}`)));
    const sends = await sendsPerSuccess((writer) => createTicket(clients[writer] ?? ''));
    expect(sends).toBeLessThanOrEqual(1.3);
    expect((await listed('/tickets?status=open')).total).toBe(WRITERS * EACH);
    expect((await listed('/tickets')).total).toBe(WRITERS * EACH);
  });

  it('create tickets of one client', async () => {
    const client = await createClient('One');
    const tickets: Created[] = [];
    const sends = await sendsPerSuccess(async () => tickets.push(await createTicket(client)));
    expect(sends).toBeLessThanOrEqual(1.5);
    const pages = await Promise.all([1, 2, 3].map((page) => listed(`/tickets?status=open&page_size=50&page=${page}`)));
    expect(pages.map(({ total }) => total)).toEqual(Array(3).fill(WRITERS * EACH));
    expect(pages.flatMap(({ ids }) => ids).toSorted()).toEqual(tickets.map(({ id }) => id).toSorted());
    const { body } = await api.request('GET', `/api/v1/clients/${client}`, { token: org.token });
    expect(tickets.map(({ created_at }) => created_at)).toContain(body.last_contact);
  });
});
