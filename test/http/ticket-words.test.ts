import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { RequestSession, Tenant } from '#table';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** `TICKET_WORDS=off`, the setting of a stage whose tickets are not found by words. How lists take it: `test/table/without-words.test.ts`. */

const api = useApi();
afterEach(() => vi.unstubAllEnvs());

const TICKET = { subject: 'Printer is silent', description: 'No light.', source: 'email', contact_id: randomUUID() };

it('tickets are not found by words and all else is, until the setting is taken back and the operator has built them', async () => {
  const { token, orgId } = await api.orgToken();
  const acme = callsOf(api, token);
  const totalOf = async (path: string): Promise<unknown> => (await acme.read(`/api/v1${path}`)).total;
  await acme.create('/api/v1/tickets', TICKET);
  expect(await totalOf('/tickets?q=silent')).toBe(1);

  vi.stubEnv('TICKET_WORDS', 'off');
  const { ticket_code } = await acme.create('/api/v1/tickets', TICKET);
  await acme.create('/api/v1/clients', { name: 'Bistro' });
  const { status, body } = await acme.ask('GET', '/api/v1/tickets?q=silent');
  expect([status, body]).toMatchObject([
    400,
    {
      type: 'urn:problem-type:custodia:invalid-parameter',
      errors: [{ in: 'query', pointer: '#/q', detail: 'is not offered here' }],
    },
  ]);
  const others = [`/tickets?ticket_code=${ticket_code}`, '/tickets?status=open', '/clients?q=bistro'];
  expect(await Promise.all(others.map(totalOf))).toEqual([1, 2, 1]);

  vi.stubEnv('TICKET_WORDS', 'on');
  // Few records are read themselves.
  const read = await acme.ask('GET', '/api/v1/tickets?q=silent');
  expect([read.body.total, read.headers.has('scan-units')]).toEqual([2, true]);
  await verify(Tenant.ofOperator(orgId, RequestSession.ofEnvironment(60_000)), kinds, { repair: true });
  const found = await acme.ask('GET', '/api/v1/tickets?q=silent');
  expect([found.body.total, found.headers.has('scan-units')]).toEqual([2, false]);
});
