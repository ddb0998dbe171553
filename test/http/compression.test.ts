import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { sign } from '../../functions/webhooks/signature.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** Compression between caller and functions. `test/local/gateway-coding.test.ts` tests the gateway itself. */

const api = useApi({ sockets: true });
const org = prepared(() => api.orgToken());
const calls = prepared(() => callsOf(api, org.token));
let client: string;
beforeAll(async () => {
  ({ id: client } = await calls.create('/api/v1/clients', { name: 'Long', metadata: { text: 'x'.repeat(4_096) } }));
});

const read = (path: string, headers: Record<string, string> = {}) =>
  calls.ask('GET', path, undefined, { headers: { 'accept-encoding': 'gzip', ...headers } });

describe('what comes compressed', () => {
  it.each(['/api/v1/openapi', '/api/v1/clients', 'a client'])(
    'is what comes without, under the same tag: %s',
    async (named) => {
      const path = named === 'a client' ? `/api/v1/clients/${client}` : named;
      const [plain, compressed] = [await read(path, { 'accept-encoding': 'identity' }), await read(path)];
      expect([plain.headers.get('content-encoding'), compressed.headers.get('content-encoding')]).toEqual([
        null,
        'gzip',
      ]);
      expect(compressed.body).toEqual(plain.body);
      expect(Number(compressed.headers.get('content-length'))).toBeLessThan(JSON.stringify(plain.body).length / 3);
      const tag = compressed.headers.get('etag') ?? '';
      expect([tag, compressed.headers.get('vary')]).toEqual([plain.headers.get('etag'), 'Accept-Encoding']);
      for (const accepted of ['gzip', 'identity']) {
        const again = await read(path, { 'if-none-match': tag, 'accept-encoding': accepted });
        const { headers } = again;
        expect([again.status, again.body, headers.get('content-encoding')]).toEqual([304, '', null]);
        expect([headers.get('etag'), headers.get('vary')]).toEqual([tag, 'Accept-Encoding']);
      }
    },
  );

  it('is changed by the tag with which it came', async () => {
    const path = `/api/v1/clients/${client}`;
    const tag = (await read(path)).headers.get('etag') ?? '';
    const change = () => calls.ask('PATCH', path, { plan: randomUUID() }, { headers: { 'if-match': tag } });
    expect([(await change()).status, (await change()).status]).toEqual([200, 412]);
  });

  it('is a problem as well, where it is long', async () => {
    const body = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`unknown_${index}`, 1]));
    const response = await calls.ask('POST', '/api/v1/clients', body, { headers: { 'accept-encoding': 'gzip' } });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([422, 'gzip']);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.body.errors?.length).toBeGreaterThan(40);
  });
});

describe('a compressed body', () => {
  const send = (path: string, raw: Buffer<ArrayBuffer>, headers: Record<string, string>) =>
    api.request('POST', path, { raw, headers: { 'content-type': 'application/json', ...headers } });
  const create = (raw: Buffer<ArrayBuffer>, coding: string) =>
    send('/api/v1/clients', raw, { 'content-encoding': coding, authorization: `Bearer ${org.token}` });

  it('of a webhook is signed as it is before, and measured so', async () => {
    const text = JSON.stringify({ event_type: 'invoice.paid', data: { amount: 1 } });
    const raw = gzipSync(text);
    const deliver = (signed: string | Buffer, sent = raw) =>
      send(`/api/v1/webhooks/${org.appCode}`, sent, {
        'content-encoding': 'gzip',
        'x-signature': sign(Buffer.from(signed), org.secret),
        'x-event-id': randomUUID(),
      });
    expect((await deliver(text)).status).toBe(200);
    expect((await deliver(raw)).status).toBe(401);
    const long = JSON.stringify({ event_type: 'invoice.paid', data: { text: ' '.repeat(262_144) } });
    expect((await deliver(long, gzipSync(long))).status).toBe(413);
  });

  it('that says nothing of it is a 415', async () => {
    const { status, headers, body } = await create(gzipSync('{"name":"Zipped"}'), 'identity');
    expect([status, headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate, identity']);
    expect(body.detail).toMatch(/compressed/);
  });
});
