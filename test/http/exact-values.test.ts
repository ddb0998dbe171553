import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf, pointsAt } from '../support/tenant-calls.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** Spellings of unique values, and integrations by their app code. Lists by unique values: `found.property.sampled.test.ts`. */

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

it('says of an address with a plus how it is written', async () => {
  const email = `ines+${randomUUID()}@acme.example`;
  const { id } = await acme.create('/api/v1/users', { email, name: 'Inês' });
  const { status, body } = await acme.ask('GET', `/api/v1/users?email=${email}`);
  expect([status, body.errors?.[0]?.detail]).toEqual([400, expect.stringContaining('`%2B`')]);
  expect(await found('users', { email })).toEqual(only(id));
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
