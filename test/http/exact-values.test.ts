import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf, pointsAt } from '../support/tenant-calls.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** Lists by the value of a unique field: the record that has it, in one read. */

const api = useApi();
const org = prepared(() => api.orgToken());
const acme = prepared(() => callsOf(api, org.token));
const rival = prepared(async () => callsOf(api, (await api.orgToken()).token));
const platform = prepared(async () => callsOf(api, await api.platformToken()));

const found = async (path: string, query: Readonly<Record<string, string>>, by: Calls = acme) => {
  const { data, total } = await by.read(`/api/v1/${path}?${new URLSearchParams(query)}`);
  return { ids: data.map(({ id }) => id), total };
};
const only = (id: unknown) => ({ ids: [id], total: 1 });
const nothing = { ids: [], total: 0 };

describe('GET /clients?slug=', () => {
  it('finds the client with it, whatever else is asked, and after a change the next one', async () => {
    const [slug, next] = [`a-${randomUUID()}`, `b-${randomUUID()}`];
    const { id } = await acme.create('/api/v1/clients', { name: 'Acme', slug });
    await rival.create('/api/v1/clients', { name: 'Acme', slug });
    expect(await found('clients', { slug })).toEqual(only(id));
    expect(await found('clients', { slug, status: 'active', has_risks: 'false' })).toEqual(only(id));
    expect(await found('clients', { slug, status: 'inactive' })).toEqual(nothing);
    expect(await found('clients', { slug, has_risks: 'true' })).toEqual(nothing);
    expect(await found('clients', { slug, page: '2' })).toEqual({ ids: [], total: 1 });
    expect(await found('clients', { slug: slug.slice(0, -1) })).toEqual(nothing);
    await acme.ask('PATCH', `/api/v1/clients/${id}`, { slug: next });
    expect([await found('clients', { slug }), await found('clients', { slug: next })]).toEqual([nothing, only(id)]);
  });

  it.each(['', 'A', 'a b', 'x'.repeat(101), '%00'])('refuses what is none: %j', async (slug) => {
    const { status, body } = await acme.ask('GET', `/api/v1/clients?slug=${slug}`);
    expect([status, body.errors?.[0]]).toEqual([400, expect.objectContaining({ in: 'query', pointer: '#/slug' })]);
  });
});

describe('GET /users?email=', () => {
  it('finds the user in whatever case', async () => {
    const email = `Ines.${randomUUID()}@acme.example`;
    const { id } = await acme.create('/api/v1/users', { email, name: 'Inês' });
    expect(await found('users', { email })).toEqual(only(id));
    expect(await found('users', { email: email.toUpperCase(), is_active: 'true' })).toEqual(only(id));
    expect(await found('users', { email, is_active: 'false' })).toEqual(nothing);
    expect(await found('users', { email: `x${email}` })).toEqual(nothing);
    expect(await found('users', { email }, rival)).toEqual(nothing);
  });
});

it('says of an address with a plus how it is written', async () => {
  const email = `ines+${randomUUID()}@acme.example`;
  const { id } = await acme.create('/api/v1/users', { email, name: 'Inês' });
  const { status, body } = await acme.ask('GET', `/api/v1/users?email=${email}`);
  expect([status, body.errors?.[0]?.detail]).toEqual([400, expect.stringContaining('`%2B`')]);
  expect(await found('users', { email })).toEqual(only(id));
});

describe('GET /tickets?ticket_code=', () => {
  const ticket = async (ticket_code: string) => {
    const { id: client_id } = await acme.create('/api/v1/clients', { name: 'Acme' });
    const text = { subject: 'Dark', description: 'The screen is dark.', source: 'email', contact_id: randomUUID() };
    return acme.create('/api/v1/tickets', { client_id, ticket_code, ...text });
  };

  it.each([`T-${randomUUID()}`, '\n', `\u{10FFFF}${'é'.repeat(99)}`, '#SET', '..'])(
    'finds the ticket: %j',
    async (code) => {
      const made = await ticket(code === '\n' ? `a\nb${randomUUID()}` : code);
      const ticket_code = String(made.ticket_code);
      expect(await found('tickets', { ticket_code })).toEqual(only(made.id));
      expect(await found('tickets', { ticket_code, status: 'open', client_id: String(made.client_id) })).toEqual(
        only(made.id),
      );
      expect(await found('tickets', { ticket_code, client_id: randomUUID() })).toEqual(nothing);
      await acme.ask('DELETE', `/api/v1/tickets/${made.id}`);
      expect(await found('tickets', { ticket_code })).toEqual(nothing);
    },
  );

  it('finds none of another spelling', async () => {
    const { ticket_code } = await ticket(`Ticket ${randomUUID()}`);
    for (const other of [`${ticket_code}.`, String(ticket_code).toUpperCase()])
      expect(await found('tickets', { ticket_code: other })).toEqual(nothing);
  });
});

describe('a code with what shows nothing at its ends', () => {
  const spellings = (code: string) => [`${code} `, `\u200b${code}`, `${code}\u00a0\n`, `\u202e${code}\u2800`];

  it('is that ticket code: when it is given, looked for, and taken already', async () => {
    const code = `INC ${randomUUID()}`;
    const made = await acme.create('/api/v1/tickets', newTicket({ ticket_code: `  ${code}\u3164` }));
    expect(made.ticket_code).toBe(code);
    for (const ticket_code of spellings(code)) {
      expect(await found('tickets', { ticket_code })).toEqual(only(made.id));
      const { status, body } = await acme.ask('POST', '/api/v1/tickets', newTicket({ ticket_code }));
      expect([status, body.type]).toEqual([409, 'urn:problem-type:custodia:already-exists']);
    }
    const blank = await acme.ask('POST', '/api/v1/tickets', newTicket({ ticket_code: '\u200b\u2800' }));
    expect([blank.status, blank.body.errors]).toEqual([422, pointsAt('ticket_code')]);
  });

  it('is that role code and that app code, also at the login', async () => {
    const code = `code-${randomUUID()}`;
    const role = await acme.create('/api/v1/roles', { code: ` ${code}`, label: 'Agent' });
    const key = await acme.create('/api/v1/integrations', { app_code: `${code}\u200b`, display_name: 'Billing' });
    expect([role.code, key.app_code]).toEqual([code, code]);
    for (const spelling of spellings(code)) {
      expect((await acme.ask('POST', '/api/v1/roles', { code: spelling, label: 'Agent' })).status).toBe(409);
      const body = { app_code: spelling, secret: key.secret };
      expect((await api.request('POST', '/api/v1/auth/login', { body })).status).toBe(200);
      expect(await found('integrations', { app_code: spelling })).toEqual(only(key.id));
    }
  });
});

describe('GET /integrations?app_code=', () => {
  it('finds the tenant’s own integration, active or not, and none of others', async () => {
    const app_code = `app-${randomUUID()}`;
    const { id } = await acme.create('/api/v1/integrations', { app_code, display_name: 'Billing' });
    expect(await found('integrations', { app_code })).toEqual(only(id));
    await acme.ask('PATCH', `/api/v1/integrations/${id}`, { status: 'inactive' });
    expect(await found('integrations', { app_code })).toEqual(only(id));
    expect(await found('integrations', { app_code, status: 'active' })).toEqual(nothing);
    expect(await found('integrations', { app_code }, rival)).toEqual(nothing);
    expect(await found('integrations', { app_code }, platform)).toEqual(nothing);
    expect(await found('integrations', { app_code, org_id: org.orgId }, platform)).toEqual(only(id));
    const theirs = await rival.ask('GET', `/api/v1/integrations?app_code=${app_code}&org_id=${org.orgId}`);
    expect(theirs.status).toBe(403);
  });

  it('finds the platform’s own for the platform alone', async () => {
    const app_code = `app-${randomUUID()}`;
    const { id } = await platform.create('/api/v1/integrations', { app_code, display_name: 'Own', org_id: null });
    expect(await found('integrations', { app_code }, platform)).toEqual(only(id));
    expect(await found('integrations', { app_code })).toEqual(nothing);
  });
});
