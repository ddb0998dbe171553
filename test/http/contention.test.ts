import { randomUUID } from 'node:crypto';
import { ids } from '@custodia/counted-lists';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configureTable } from '#table';
import type { OrgAccess } from '../support/api.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { deliver } from '../support/deliver.ts';
import { bodyOf } from '../support/faults.ts';
import { type Key, keyMadeBy } from '../support/keys.ts';
import { type Line, written } from '../support/lines.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { newMessage, newTicket, TICKETS } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** What callers get while others write the same items, which DynamoDB refuses and emulators do not (`conflicts.ts`). */

const api = useApi({ limits: { functionMs: 600_000 } });
const conflicts = new Conflicts({ sends: 0 });
let table: ConflictingHandler;
let org: OrgAccess;
let owner: Calls;
let client: string;

beforeEach(async () => {
  conflicts.reset();
  table = new ConflictingHandler(conflicts);
  configureTable({ requestHandler: table });
  org = await api.orgToken();
  owner = callsOf(api, org.token);
  client = (await owner.create('/api/v1/clients', { name: 'Acme', slug: 'acme' })).id;
  // No wait between tries, and no time passes: a change is tried for three seconds at most.
  vi.spyOn(Math, 'random').mockReturnValue(-0.5);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  configureTable({});
});

/** Others write the records of this kind in every transaction, until so many were sent. */
function race(kind: string, until = Infinity): void {
  conflicts.reset();
  conflicts.isTaken = (name, transactions) => name.includes(`#${kind}"`) && transactions <= until;
}

const typeOf = (body: object): string =>
  String((body as { readonly type?: unknown }).type).replace('urn:problem-type:custodia:', '');

/** The response to a request, and what the function has logged and counted. */
async function outcomeOf(send: () => ReturnType<Calls['ask']>) {
  const { result, lines } = await written(send);
  const line =
    lines.findLast(({ message, domain }) => message === 'request' && domain !== 'authorizer') ?? ({} as Line);
  return {
    ends: [result.status, typeOf(result.body), result.headers.get('retry-after')],
    calls: Number(line.TableCalls),
    marks: [line.contended, line.RequestsContended, line.RequestsFailed],
    errors: lines.filter(({ level }) => level === 'ERROR'),
  };
}

/** Counted as contention, and not as a failure. */
const CONTENTION = { marks: [true, 1, undefined], errors: [] };

const endpoint = () => owner.create('/api/v1/webhook-endpoints', { url: 'https://hooks.example.com/' });

describe('a change of the record that the request names', () => {
  it.each([
    ['PATCH', 'CLIENT', async () => owner.ask('PATCH', `/api/v1/clients/${client}`, { name: 'B' })],
    ['PUT', 'CLIENT', async () => owner.ask('PUT', '/api/v1/clients?slug=acme', { name: 'B' })],
    [
      'DELETE',
      'TICKET',
      async () => {
        conflicts.reset();
        const { id } = await owner.create(TICKETS, newTicket({ client_id: client }));
        race('TICKET');
        return owner.ask('DELETE', `${TICKETS}/${id}`);
      },
    ],
    [
      'a merge, which names another one',
      'TICKET',
      async () => {
        conflicts.reset();
        const [one, { id: into }] = [
          await owner.create(TICKETS, newTicket()),
          await owner.create(TICKETS, newTicket()),
        ];
        conflicts.isTaken = (name) => name.includes('#TICKET"') && name.includes(ids.sortKeyOf(ids.numberOf(into)));
        return owner.ask('POST', `${TICKETS}/${one.id}/merge`, { into });
      },
    ],
    [
      'an operation',
      'WEBHOOK_ENDPOINT',
      async () => {
        conflicts.reset();
        const { id } = await endpoint();
        race('WEBHOOK_ENDPOINT');
        return owner.ask('POST', `/api/v1/webhook-endpoints/${id}/replay`, { from: 'oldest' });
      },
    ],
  ])('by %s is refused after eight tries, as the caller’s matter', async (_, kind, send) => {
    race(kind);
    const { calls, ...outcome } = await outcomeOf(send);
    expect(outcome).toEqual({ ends: [409, 'contended', '1'], ...CONTENTION });
    expect(conflicts.refused).toBe(8);
    expect(calls).toBeLessThanOrEqual(40);
  });

  it('is refused after three seconds', async () => {
    race('CLIENT');
    const { isTaken } = conflicts;
    conflicts.isTaken = (...given) => {
      const taken = isTaken(...given);
      if (taken) vi.setSystemTime(Date.now() + 1_100);
      return taken;
    };
    const { ends } = await outcomeOf(() => owner.ask('PATCH', `/api/v1/clients/${client}`, { name: 'B' }));
    expect([ends[1], conflicts.refused]).toEqual(['contended', 4]);
  });

  it('is made once the others have ended', async () => {
    race('CLIENT', 7);
    expect((await owner.ask('PATCH', `/api/v1/clients/${client}`, { name: 'B' })).body.name).toBe('B');
  });

  it('is refused, too, where others are faster between its reading and writing', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const handle = table.handle.bind(table);
    let others = 0;
    vi.spyOn(table, 'handle').mockImplementation(async (request, options) => {
      const isTransaction = request.headers['x-amz-target']?.endsWith('.TransactWriteItems');
      if (isTransaction && bodyOf(request).includes('Victim')) {
        others += 1;
        await owner.ask('PATCH', `/api/v1/clients/${client}`, { name: `Other ${others}` });
      }
      return handle(request, options);
    });
    const { status, body } = await owner.ask('PATCH', `/api/v1/clients/${client}`, { name: 'Victim' });
    expect([status, typeOf(body), others]).toEqual([
      409,
      'contended',
      expect.toSatisfy((tries) => tries > 4 && tries <= 8),
    ]);
    expect((await owner.read(`/api/v1/clients/${client}`)).name).toBe(`Other ${others}`);
  });

  it('takes at most forty calls also where the numbers of its events are released in competition', async () => {
    conflicts.reset();
    const { id } = await endpoint();
    race('WEBHOOK_ENDPOINT');
    const { isTaken } = conflicts;
    conflicts.isTaken = (name, sent) => isTaken(name, sent) || /EVENT#SET".*"B#/.test(name);
    const send = () => owner.ask('POST', `/api/v1/webhook-endpoints/${id}/replay`, { from: 'oldest' });
    const { calls, ends } = await outcomeOf(send);
    expect([ends[1], calls > 20, calls <= 40]).toEqual(['contended', true, true]);
  });

  it('is a plain 503, and a failure, where an attempt has no response: it may be carried out yet', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    race('CLIENT');
    const handle = table.handle.bind(table);
    let lost = 0;
    vi.spyOn(table, 'handle').mockImplementation(async (request, options) => {
      const isTransaction = request.headers['x-amz-target']?.endsWith('.TransactWriteItems');
      if (isTransaction && lost++ === 0) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      return handle(request, options);
    });
    const { result, lines } = await written(() => owner.ask('PATCH', `/api/v1/clients/${client}`, { name: 'B' }));
    const line = lines.findLast(({ operation }) => operation === 'updateClient') ?? ({} as Line);
    expect([result.status, typeOf(result.body), result.body.detail]).toEqual([503, 'unavailable', undefined]);
    expect([line.contended, line.RequestsContended, line.RequestsFailed]).toEqual([undefined, undefined, 1]);
    expect(lines.filter(({ level }) => level === 'ERROR')).toHaveLength(1);
  });

  it('by twenty callers at once costs each at most forty calls of the table, and ours is no failure', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const send = (index: number) => owner.ask('PATCH', `/api/v1/clients/${client}`, { name: `Name ${index}` });
    const { result, lines } = await written(() => Promise.all(Array.from({ length: 20 }, (_, index) => send(index))));
    expect(result.filter(({ status, body }) => status !== 200 && typeOf(body) !== 'contended')).toEqual([]);
    const changes = lines.filter(({ operation }) => operation === 'updateClient');
    expect(changes).toHaveLength(20);
    expect(Math.max(...changes.map(({ TableCalls }) => Number(TableCalls)))).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => 'RequestsFailed' in line || line.level === 'ERROR')).toEqual([]);
  });
});

describe('what meets in a record that the request does not name', () => {
  it.each([
    ['a creation below the record in its path', 'TICKET'],
    ['a creation', 'CLIENT'],
    ['a change', 'SERVICE'],
    ['a change of the organization', 'AUDIT_EVENT'],
  ])('is a 503 that is marked: %s', async (what, kind) => {
    const { id } = await owner.create(TICKETS, newTicket({ client_id: client }));
    const service = { client_id: client, name: 'Till', type: 'saas' };
    const { id: service_id } = await owner.create('/api/v1/services', service);
    const resource = await owner.create('/api/v1/resources', { client_id: client, name: 'db-1', type: 'server' });
    const SENT: Readonly<Record<string, () => ReturnType<Calls['ask']>>> = {
      TICKET: () => owner.ask('POST', `${TICKETS}/${id}/messages`, newMessage()),
      CLIENT: () => owner.ask('POST', '/api/v1/services', service),
      AUDIT_EVENT: () => owner.ask('PATCH', `/api/v1/orgs/${org.orgId}`, { name: 'B' }),
      SERVICE: () => owner.ask('PATCH', `/api/v1/resources/${resource.id}`, { service_id }),
    };
    race(kind);
    const { calls, ...outcome } = await outcomeOf(SENT[kind] as () => ReturnType<Calls['ask']>);
    expect(outcome).toEqual({ ends: [503, 'unavailable', '2'], ...CONTENTION });
    expect([what, calls > 20, calls <= 40]).toEqual([what, true, true]);
  });

  it('is a 503 for a webhook, whose 409 would say that its event was processed', async () => {
    race('CLIENT');
    const event = { event_type: 'client.updated', data: { id: client, name: 'B' } };
    const send = () => deliver(api, org, event) as ReturnType<Calls['ask']>;
    const { calls, ...outcome } = await outcomeOf(send);
    expect(outcome).toEqual({ ends: [503, 'unavailable', '2'], ...CONTENTION });
    expect(calls).toBeLessThanOrEqual(40);
  });
});

describe('an operation that cuts off a key', () => {
  let key: Key;
  beforeEach(async () => {
    key = await keyMadeBy(api, owner, { permissions: ['clients:read', 'clients:write'] });
  });

  it.each([
    ['revoke-tokens', () => owner.ask('POST', `${key.path}/revoke-tokens`)],
    ['rotate-secret', () => owner.ask('POST', `${key.path}/rotate-secret`, { previous_valid_for: 0 })],
    ['an inactive status', () => owner.ask('PATCH', key.path, { status: 'inactive' })],
    ['fewer permissions', () => owner.ask('PATCH', key.path, { permissions: ['clients:read'] })],
  ])('%s is not held up by who races with it', async (_, send) => {
    race('INTEGRATION', 20);
    expect([200, 201]).toContain((await send()).status);
    // And it costs no more than others where nothing helps.
    race('INTEGRATION');
    expect((await outcomeOf(send)).calls).toBeLessThanOrEqual(40);
  });

  it('is none that gives more', async () => {
    race('INTEGRATION');
    const { ends } = await outcomeOf(() => owner.ask('PATCH', key.path, { display_name: 'B', permissions: null }));
    expect([ends, conflicts.refused]).toEqual([[409, 'contended', '1'], 8]);
  });
});

describe('a batch', () => {
  const change = (name: string) => ({
    key: randomUUID(),
    operation: 'updateClient',
    params: { id: client },
    body: { name },
  });
  const run = (operations: readonly unknown[]) => owner.ask('POST', '/api/v1/batch', { operations });
  const endsOf = (body: unknown) =>
    (body as { readonly results: { status: number; retry_after?: number; problem?: { type: string } }[] }).results.map(
      ({ status, retry_after, problem }) => [status, problem && typeOf(problem), retry_after],
    );

  it('does not let what follows overtake a contended change, and has not failed', async () => {
    race('CLIENT');
    const { result, lines } = await written(() => run([change('a'), change('b')]));
    expect(endsOf(result.body)).toEqual([
      [409, 'contended', 1],
      [503, 'not-attempted', 0],
    ]);
    expect(lines.filter((line) => 'RequestsFailed' in line)).toEqual([]);
  });

  it('has not failed where others of its lines, or other batches, work on the same record', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const tickets = () => ({ key: randomUUID(), operation: 'createTicket', body: newTicket({ client_id: client }) });
    const batches = Array.from({ length: 5 }, () => Array.from({ length: 8 }, () => [change('a'), tickets()]).flat());
    const { result, lines } = await written(() => Promise.all(batches.map(run)));
    const ends = result.flatMap(({ body }) => endsOf(body).map(([status, type]) => type ?? status));
    expect(ends.filter((end) => ![200, 201, 'contended', 'not-attempted'].includes(end as never))).toEqual([]);
    expect(lines.filter((line) => 'RequestsFailed' in line)).toEqual([]);
  });
});
