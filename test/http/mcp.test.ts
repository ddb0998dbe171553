import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { mcp } from '../../functions/mcp/contract.ts';
import { suspendOrganization } from '../../operator/suspending.ts';
import { keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf, newTenant } from '../support/tenant-calls.ts';
import { askAs, holding, personOf } from '../support/two-clients.ts';
import { useApi } from '../support/use-api.ts';
import { agent, LATEST, metaOf, PATH } from './mcp-caller.ts';

/** The Model Context Protocol: who is offered what, and what comes of calls. */

const api = useApi({ firstKey: false, authorizerTtlSeconds: 0 });
const owner = prepared(async () => {
  const org = await api.orgToken();
  return { ...org, ...callsOf(api, org.token) };
});
const mine = prepared(async () => ({ ...agent(api, owner.token), ...(await holding(api, owner.token, 'zmine')) }));
const writer = prepared(async () => agent(api, owner.token, '?write=tickets'));

afterEach(() => vi.unstubAllEnvs());

const codeOf = ({ status, body }: Awaited<ReturnType<typeof mine.ask>>) => [status, body.error?.code];

describe('a message', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'of %s begins with initialize, without a session',
    async (version) => {
      const { body, headers } = await mine.ask('initialize', { protocolVersion: version });
      expect(body.result).toMatchObject({ protocolVersion: version, capabilities: { tools: {} } });
      expect(headers.has('mcp-session-id')).toBe(false);
      const noted = await mine.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      expect([noted.status, noted.body]).toEqual([202, '']);
      expect((await mine.ask('ping')).body.result).toEqual({});
      const later = { jsonrpc: '2.0', id: 'a', method: 'tools/list' };
      const { status, body: listed } = await mine.send(later, { 'MCP-Protocol-Version': version });
      expect([status, listed.id, listed.result.tools.length]).toEqual([200, 'a', 19]);
    },
  );

  it('of an unknown older version gets the newest of these', async () => {
    const { body } = await mine.ask('initialize', { protocolVersion: '2024-11-05' });
    expect(body.result.protocolVersion).toBe('2025-11-25');
  });

  it('of the latest version says so itself, and gets what a client may keep', async () => {
    const { body: found } = await mine.latest('server/discover');
    expect(found.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [LATEST],
      capabilities: { tools: {} },
      cacheScope: 'private',
      ttlMs: expect.any(Number),
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'custodia' } },
    });
    const { body: listed } = await mine.latest('tools/list');
    expect(listed.result).toMatchObject({ resultType: 'complete', cacheScope: 'private', ttlMs: expect.any(Number) });
    const { body: called } = await mine.latest('tools/call', { name: 'listClients' }, { 'Mcp-Name': NAME });
    expect(called.result).toMatchObject({ resultType: 'complete', content: [{ type: 'text' }, { type: 'text' }] });
  });

  const NAME = `=?base64?${Buffer.from('listClients').toString('base64')}?=`;
  const VERSION = 'MCP-Protocol-Version';

  it.each([
    ['another method in the header', 'tools/list', {}, { 'Mcp-Method': 'tools/call' }, [400, -32_020]],
    ['no name in the header', 'tools/call', { name: 7 }, {}, [400, -32_020]],
    ['another version in the header', 'tools/list', {}, { [VERSION]: '2025-11-25' }, [400, -32_020]],
    ['an unknown version', 'tools/list', metaOf('1900-01-01'), { [VERSION]: '1900-01-01' }, [400, -32_022]],
    ['an older version in a new form', 'tools/list', metaOf('2025-06-18'), { [VERSION]: '2025-06-18' }, [400, -32_022]],
    ['no _meta', 'tools/list', { _meta: 7 }, {}, [400, -32_602]],
    ['no capabilities', 'tools/list', metaOf(LATEST, 7), {}, [400, -32_602]],
    ['an unknown method', 'prompts/list', {}, {}, [404, -32_601]],
    ['a method of older versions', 'ping', {}, {}, [404, -32_601]],
    ['an unknown tool', 'tools/call', { name: 'deleteTicket' }, {}, [200, -32_602]],
    ['the name of a property', 'tools/call', { name: '__proto__' }, {}, [200, -32_602]],
    ['arguments that are no object', 'tools/call', { name: 'getTicket', arguments: [] }, {}, [200, -32_602]],
    ['a cursor', 'tools/list', { cursor: 'x' }, {}, [200, -32_602]],
  ])('is refused with %s', async (_, method, params, headers, expected) => {
    expect(codeOf(await mine.latest(method, params, headers))).toEqual(expected);
  });

  it.each([
    ['{', -32_700],
    ['', -32_700],
    [`${'['.repeat(300)}${']'.repeat(300)}`, -32_700],
    [new Uint8Array([0xff]), -32_700],
    ['[]', -32_600],
    ['[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', -32_600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32_600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32_600],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":["ping"]}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}', -32_600],
  ])('is none where it is none (%#)', async (raw, code) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await api.request('POST', PATH, { token: owner.token, raw, headers });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ jsonrpc: '2.0', error: { code } });
    expect(response.body).not.toHaveProperty('id');
  });

  it('is unknown to older clients with 200, as they expect', async () => {
    expect(codeOf(await mine.ask('prompts/list'))).toEqual([200, -32_601]);
  });
});

describe('a request', () => {
  it('is a POST of JSON, not too large, from no other site', async () => {
    for (const method of ['GET', 'DELETE', 'PUT'])
      expect((await api.request(method, PATH, { token: owner.token })).status).toBe(405);
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const sent = async (headers: Record<string, string>, body: unknown = message) =>
      (await api.request('POST', PATH, { token: owner.token, raw: JSON.stringify(body), headers })).status;
    expect(await sent({ 'Content-Type': 'text/plain' })).toBe(415);
    const json = { 'Content-Type': 'application/json' };
    expect(await sent(json, { ...message, params: { text: 'x'.repeat(1_048_576) } })).toBe(413);
    expect(await sent({ ...json, Origin: 'https://evil.example' })).toBe(403);
    expect(await sent({ ...json, Origin: 'null' })).toBe(403);
    expect(await sent({ ...json, Origin: api.url })).toBe(200);
    vi.stubEnv('CORS_ORIGINS', 'https://app.example');
    expect(await sent({ ...json, Origin: 'https://app.example' })).toBe(200);
    expect(await sent({ ...json, Origin: 'https://evil.example' })).toBe(403);
  });

  it('without a valid token gets a plain challenge', async () => {
    const ended = await keyMadeBy(api, owner);
    expect((await ended.ask('POST', `${ended.path}/revoke-tokens`)).status).toBe(200);
    for (const token of ['a.b.c', 'cst_x', ended.token]) {
      const { status, headers } = await api.request('POST', PATH, { token, body: {} });
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Bearer realm="custodia"/),
      ]);
      expect(headers.get('www-authenticate')).not.toContain('resource_metadata');
    }
    const other = await api.request('GET', '/api/v1/clients', { token: 'a.b.c' });
    expect(other.headers.get('www-authenticate')).toContain('resource_metadata');
  });

  it('counts to the budget, and each call beside it', async () => {
    vi.stubEnv('RATE_LIMIT', '3');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const key = await keyMadeBy(api, owner).finally(vi.useRealTimers);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const own = agent(api, key.token);
    try {
      expect((await own.call('listClients')).isError).toBeUndefined();
      expect(await own.read('listClients')).toMatchObject({ status: 429 });
      expect((await own.ask('ping')).status).toBe(429);
    } finally {
      vi.useRealTimers();
    }
  });

  it('of a suspended organization is refused', async () => {
    const tenant = await newTenant(api);
    await suspendOrganization(tenant.orgId);
    expect((await agent(api, tenant.token).ask('tools/call', { name: 'listClients' })).status).toBe(403);
  });
});

describe('tools', () => {
  it('are those that the caller may use', async () => {
    const key = await keyMadeBy(api, owner, { permissions: ['clients:read', 'tickets:write'] });
    const ofTickets = ['listTickets', 'summarizeTickets', 'getTicket', 'listTicketChanges'];
    const readers = ['listClients', 'getClient', 'summarizeClient', ...ofTickets, 'listTicketMessages'];
    expect(await agent(api, key.token).tools()).toEqual(readers);
    const written = [...readers.slice(0, -1), 'updateTicket', 'listTicketMessages', 'createTicketMessage'];
    expect(await agent(api, key.token, '?write=tickets').tools()).toEqual(written);
    const scope = { client_id: key.appCode, client_secret: key.secret, scope: 'clients:read' };
    const { body } = await api.request('POST', '/api/v1/auth/token', {
      body: { grant_type: 'client_credentials', ...scope },
    });
    const narrowed = agent(api, String(body.access_token), '?write=replies');
    expect(await narrowed.tools()).toEqual(readers.slice(0, 3));
    expect(codeOf(await narrowed.ask('tools/call', { name: 'listTickets' }))).toEqual([200, -32_602]);
  });

  it('of people of a client show what is of this client', async () => {
    const other = await holding(api, owner.token, 'zother');
    const person = personOf(
      owner.orgId,
      { [mine.ids.Client]: ['tickets:write', 'services:read'] },
      { permissions: '' },
    );
    const route = { name: 'mcp', route: mcp.routes.sendMcpMessage, hidden: [] } as unknown as Parameters<
      typeof askAs
    >[1];
    const ask = async (method: string, params: object = {}) =>
      (await askAs(person, route, { body: { jsonrpc: '2.0', id: 1, method, params }, query: { write: 'tickets' } }))
        .body.result as { tools: { name: string }[]; content: { text: string }[]; isError?: boolean };
    const names = (await ask('tools/list')).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['listTickets', 'updateTicket', 'listServices']));
    expect(names).not.toContain('listClients');
    const read = async (name: string, given: object) => {
      const { content, isError } = await ask('tools/call', { name, arguments: given });
      return JSON.parse(content[isError ? 0 : 1]?.text ?? '');
    };
    const { data } = await read('listTickets', { page_size: 100 });
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map((ticket: { client_id: string }) => ticket.client_id))).toEqual(new Set([mine.ids.Client]));
    expect(await read('getTicket', { id: other.ids.Ticket })).toMatchObject({ status: 404 });
    expect(await read('updateTicket', { id: other.ids.Ticket, status: 'closed' })).toMatchObject({ status: 404 });
    expect(await read('updateTicket', { id: mine.ids.Ticket, priority: 'high' })).toMatchObject({ priority: 'high' });
  });

  it('never show credentials, though the caller might read them', async () => {
    const secret = randomUUID();
    const { id } = await owner.create('/api/v1/services', {
      ...{ client_id: mine.ids.Client, name: 'Shop', type: 'saas' },
      credentials: { password: secret },
    });
    expect(JSON.stringify(await owner.read(`/api/v1/services/${id}`))).toContain(secret);
    const before = (await owner.read('/api/v1/audit-events?page_size=1')).total;
    const found = await mine.read('getService', { id });
    expect([found.name, found.credentials]).toEqual(['Shop', null]);
    expect((await owner.read('/api/v1/audit-events?page_size=1')).total).toBe(before);
  });

  it('of a platform caller work in the organization that the address names', async () => {
    const token = await api.platformToken();
    const named = agent(api, token, `?org_id=${owner.orgId}`);
    expect(await named.read('getTicket', { id: mine.ids.Ticket })).toMatchObject({ id: mine.ids.Ticket });
    expect(await agent(api, token).read('getTicket', { id: mine.ids.Ticket })).toMatchObject({ status: 404 });
    expect((await agent(api, owner.token, `?org_id=${randomUUID()}`).ask('ping')).status).toBe(403);
  });
});

describe('a call', () => {
  it('says that its result is data, and returns ten records unless asked for others', async () => {
    const many = await newTenant(api);
    for (let number = 0; number < 12; number++) await many.create('/api/v1/clients', { name: `Client ${number}` });
    const { call, read } = agent(api, many.token);
    const { content } = await call('listClients');
    expect(content[0]?.text).toMatch(/never instructions/);
    const first = await read('listClients');
    expect([(first.data as unknown[]).length, first.total]).toEqual([10, 12]);
    expect((await read('listClients', { page_size: 12 })).data).toHaveLength(12);
    expect((await read('listClients', { page: 2 })).data).toHaveLength(2);
    const { content: events } = await call('listEvents', { limit: 3 });
    expect(JSON.parse(events[1]?.text ?? '').data).toHaveLength(3);
  });

  it('takes several values, numbers, booleans and null', async () => {
    const { ids } = mine;
    const found = await mine.read('listTickets', { client_id: [ids.Client, randomUUID()], status: ['open', 'closed'] });
    expect(found.total).toBe(2);
    expect(await mine.read('listTickets', { tag: ['zmine', 'zother'] })).toMatchObject({ total: 0 });
    expect(await mine.read('listTickets', { tag: ['zmine'] })).toMatchObject({ total: 2 });
    expect(await mine.read('listTickets', { service_id: null })).toMatchObject({ total: 0 });
    expect(await mine.read('listClients', { has_risks: false, page: 1 })).toMatchObject({ page: 1 });
  });

  it.each([
    ['getTicket', { id: 'x' }, 400, '#/id'],
    ['getTicket', {}, 400, '#/id'],
    ['getTicket', { id: { toString: 1 } }, 400, '#/id'],
    ['getTicket', { id: '\ud800' }, 400, '#/id'],
    ['getTicket', { id: randomUUID() }, 404, undefined],
    ['getTicket', { id: randomUUID(), other: 1 }, 400, '#/other'],
    ['listTickets', { page: 'x' }, 400, '#/page'],
    ['listTickets', { page_size: 1e9 }, 400, '#/page_size'],
    ['listTickets', { page: [1, 2] }, 400, '#/page'],
    ['listTickets', { status: ['no'] }, 400, '#/status'],
    ['listTickets', { statos: 'open' }, 400, '#/statos'],
    ['listTickets', { q: 'x'.repeat(5_000) }, 400, '#/q'],
    ['listTickets', JSON.parse('{"__proto__":1}'), 400, '#/__proto__'],
    ['listTickets', { constructor: 1 }, 400, '#/constructor'],
    ['listTickets', { org_id: randomUUID() }, 403, '#/org_id'],
    ['listEvents', { after: 'x' }, 400, '#/after'],
    ['summarizeTickets', { group_by: 'message' }, 400, '#/group_by'],
  ] as [string, unknown, number, string | undefined][])(
    '%s of %j is an error with %i',
    async (name, given, status, pointer) => {
      const { isError } = await mine.call(name, given);
      const problem = await mine.read(name, given);
      expect([isError, problem.status]).toEqual([true, status]);
      const [finding] = (problem.errors ?? []) as { pointer: string }[];
      expect(finding?.pointer).toBe(pointer);
    },
  );

  it('of another organization’s records is an error with 404', async () => {
    const other = agent(api, (await newTenant(api)).token, '?write=tickets');
    for (const name of ['getTicket', 'listTicketMessages', 'updateTicket'])
      expect(await other.read(name, { id: mine.ids.Ticket })).toMatchObject({ status: 404 });
    expect(await other.read('getClient', { id: mine.ids.Client })).toMatchObject({ status: 404 });
    expect(await other.read('listTickets', { client_id: mine.ids.Client })).toMatchObject({ total: 0 });
  });

  it('is cut at 24 KB, and says how to go on', async () => {
    const tenant = await newTenant(api);
    const { id } = await tenant.create('/api/v1/tickets', { ...TICKET, description: 'é'.repeat(20_000) });
    const by = { author_type: 'agent', author_id: randomUUID() };
    const written = [];
    for (let number = 0; number < 5; number++) {
      const message = `${number} ${'é'.repeat(4_000)}`;
      written.push((await tenant.create(`/api/v1/tickets/${id}/messages`, { ...by, message })).id);
    }
    const { call } = agent(api, tenant.token);
    const textsOf = async (name: string, given: object) => (await call(name, given)).content.map(({ text }) => text);
    const [, whole = '', hint] = await textsOf('getTicket', { id });
    expect([Buffer.byteLength(whole) <= 24_000, hint]).toEqual([true, 'Cut at 24 KB.']);
    const [, first = '', more = ''] = await textsOf('listTicketMessages', { id });
    const ids = (text: string) => JSON.parse(text).data.map((message: { id: string }) => message.id);
    expect(ids(first)).toEqual(written.slice(0, 2));
    expect(more).toBe('Cut at 24 KB, 2 of 5: ask for fewer.');
    const [, page = '', next] = await textsOf('listTicketMessages', { id, page_size: 2, after: written[0] });
    expect([ids(page), next]).toEqual([written.slice(1, 3), `More: go on with after=${written[2]}.`]);
  });
});

const TICKET = { subject: 'Paper', description: 'None left.', source: 'web', contact_id: randomUUID() };

describe('a writer', () => {
  const by = { author_type: 'agent', author_id: randomUUID() };
  const note = async (given: object, from = writer) =>
    from.read('createTicketMessage', { id: mine.ids.Ticket, ...by, message: 'Looked at it.', ...given });

  it('is there for those alone who ask for it', async () => {
    expect(await mine.tools()).not.toContain('updateTicket');
    expect(codeOf(await mine.ask('tools/call', { name: 'updateTicket' }))).toEqual([200, -32_602]);
    expect((await api.request('POST', `${PATH}?write=all`, { token: owner.token, body: {} })).status).toBe(400);
  });

  it('changes a ticket, as the caller', async () => {
    const { id } = await owner.create('/api/v1/tickets', TICKET);
    expect(await writer.read('updateTicket', { id, status: 'pending', custom_fields: { n: 1 } })).toMatchObject({
      status: 'pending',
      custom_fields: { n: 1 },
    });
    const { data } = await owner.read(`/api/v1/tickets/${id}/changes`);
    expect(data[0]).toMatchObject({ actor_id: owner.integrationId });
    expect(await writer.read('updateTicket', { id, subject: '' })).toMatchObject({
      status: 422,
      errors: [{ in: 'body', pointer: '#/subject' }],
    });
    expect(await writer.read('updateTicket', { id, ticket_code: 'X-1' })).toMatchObject({ status: 422 });
  });

  it('writes internal messages, and to customers only where the address says so', async () => {
    expect(await note({})).toMatchObject({ is_internal: true });
    expect(await note({ is_internal: true })).toMatchObject({ is_internal: true });
    for (const is_internal of [false, 'false', 0]) expect(await note({ is_internal })).toMatchObject({ status: 403 });
    const replying = agent(api, owner.token, '?write=replies');
    expect(await note({}, replying)).toMatchObject({ is_internal: true });
    expect(await note({ is_internal: false }, replying)).toMatchObject({ is_internal: false });
    const shown = async ({ ask }: typeof writer) => {
      const { tools } = (await ask('tools/list')).body.result;
      const tool = tools.find(({ name }) => name === 'createTicketMessage');
      return Object.hasOwn(tool?.inputSchema.properties ?? {}, 'is_internal');
    };
    expect([await shown(writer), await shown(replying)]).toEqual([false, true]);
  });

  it('writes a message once for a key', async () => {
    const idempotency_key = randomUUID();
    const [one, other] = [await note({ idempotency_key }), await note({ idempotency_key })];
    expect([other.id, other.message]).toEqual([one.id, 'Looked at it.']);
    expect(await note({ idempotency_key, message: 'Another.' })).toMatchObject({ status: 422 });
    for (const key of ['\ud800\n', 'x'.repeat(300), 'é'])
      expect(await note({ idempotency_key: key })).toMatchObject({ status: 400 });
    const [first, second] = [await note({ idempotency_key: null }), await note({ idempotency_key: null })];
    expect(first.id).not.toBe(second.id);
  });
});
