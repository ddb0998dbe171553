import { beforeAll, describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, NOWHERE, pointersOf, type Responded } from './api-driver.ts';

/** `q` of every list that has it: by which fields records are found. Any words and filters: `found.property.sampled.test.ts`. */

const api = useApi();
const mine = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));

const found = async (list: string, q: string, rest = '') =>
  (await mine.list(`/${list}?q=${encodeURIComponent(q)}${rest}`)).ids;

const records: Record<string, Responded> = {};
beforeAll(async () => {
  const client = await mine.client({ name: 'ACME Lda % de_Portugal', slug: 'zz-first' });
  records.clients = client;
  const service = await mine.service({ client_id: client.id, name: 'Web shop of Águas' });
  records.services = service;
  records.resources = await mine.resource({
    client_id: client.id,
    service_id: service.id,
    name: 'print-server 2',
    external_id: 'i-0A1b2C',
    ip_address: '10.0.0.25',
  });
  records.terminals = await mine.create('/terminals', {
    client_id: client.id,
    name: 'Front desk',
    location: 'Lisbon, ground floor',
  });
  records.users = await mine.create('/users', { email: 'Ines.Duarte@acme.example', name: 'Inês Duarte' });
  records.tickets = await mine.create('/tickets', {
    contact_id: NOWHERE,
    subject: 'Printer is silent: drucker geräuschlos, 打印机没有声音',
    description: 'x',
    source: 'email',
    ticket_code: 'T-7-b',
    client_id: client.id,
  });
});

describe('a list by words', () => {
  it.each<[string, string, boolean]>([
    ['clients', ' acme  LDA ', true],
    ['clients', 'acme\u0000#', true],
    ['clients', 'acme%', true],
    ['clients', 'zz-f', true],
    ['clients', 'cme', false],
    ['clients', 'a_me', false],
    ['clients', '*', false],
    ['clients', 'acme lda\n0', false],
    ['clients', "' OR 1=1 --", false],
    ['services', 'shop', true],
    ['services', 'aguas web', true],
    ['services', 'hop', false],
    ['resources', 'server', true],
    ['resources', 'print-ser', true],
    ['resources', '10.0.0', true],
    ['resources', '0.25', true],
    ['resources', '10.0.1', false],
    ['resources', 'I-0a1', true],
    ['resources', '0a1 print', true],
    ['terminals', 'lisbon', true],
    ['terminals', 'desk ground', true],
    ['terminals', 'desk porto', false],
    ['users', 'ines', true],
    ['users', 'INES.D', true],
    ['users', 'acme.example', true],
    ['users', 'duarte ines', true],
    ['users', 'nes', false],
    ['tickets', 'print sil', true],
    ['tickets', 'gerausch', true],
    ['tickets', '打印机', true],
    ['tickets', 'T-7', true],
    ['tickets', 'T-7-b', true],
    ['tickets', 't-7 silent', true],
    ['tickets', '7-b', false],
  ])('of %s finds by %j: %s', async (list, q, isFound) => {
    expect(await found(list, q)).toEqual(isFound ? [records[list]?.id] : []);
  });

  it.each(['clients', 'services', 'resources', 'terminals', 'users', 'tickets'])(
    'of %s is refused without a word',
    async (list) => {
      const refused = await mine.get(`/${list}?q=%CC%81`);
      expect([refused.status, pointersOf(refused)]).toEqual([400, ['#/q']]);
    },
  );

  it('finds a record by its new texts at once, and no more by the old or once it is deleted', async () => {
    const { id } = await mine.create('/tickets', {
      contact_id: NOWHERE,
      subject: 'one two three four five six seven eight nine ten eleven twelve',
      description: 'x',
      source: 'email',
    });
    await mine.patch(`/tickets/${id}`, { status: 'pending' });
    expect(await found('tickets', 'twelve one')).toEqual([id]);
    const changed = await mine.patch(`/tickets/${id}`, {
      subject: 'uno dos tres cuatro cinco seis siete ocho nueve diez once doce',
      status: 'open',
      tags: ['a', 'b'],
    });
    expect(changed.status).toBe(200);
    expect([await found('tickets', 'twelve'), await found('tickets', 'doce uno')]).toEqual([[], [id]]);
    await mine.remove(`/tickets/${id}`);
    expect(await found('tickets', 'doce')).toEqual([]);
  });
});
