import { describe, expect, it, onTestFinished } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { startReceiver } from '../support/receiver.ts';
import { useApi } from '../support/use-api.ts';

/** Events reach a receiver, through everything but the queue that is there in AWS. */

const api = useApi({ deliveries: true });
const org = prepared(() => api.orgToken());

const post = async (path: string, body: object, token = org.token) => {
  const response = await api.request<{ id: string; secret: string }>('POST', `/api/v1${path}`, { token, body });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return response.body;
};

const isAny = ({ length }: readonly unknown[]): boolean => length > 0;

async function receiving(...[respond]: Parameters<typeof startReceiver>) {
  const receiver = await startReceiver(respond);
  onTestFinished(receiver.close);
  return receiver;
}

describe('an endpoint', () => {
  it('gets what is changed after it was made, in order, and is told who sends it', async () => {
    const receiver = await receiving();
    await post('/clients', { name: 'Before', slug: 'before' });
    const { secret } = await post('/webhook-endpoints', { url: receiver.url, event_types: ['client.created'] });
    receiver.prove(secret);
    const slugs = Array.from(Array(5), (_, number) => `client-${number}`);
    const ids: string[] = [];
    for (const slug of slugs) ids.push((await post('/clients', { name: 'Bistro', slug })).id);
    const events = await receiver.until(({ length }) => length === ids.length);
    expect(events.map(({ record_id }) => record_id)).toEqual(ids);
    expect(secret).toMatch(/^whsec_/);
    for (const { headers } of receiver.deliveries) expect(headers['webhook-signature']).toMatch(/^v1,/);
  });

  it('gets a ping, and other tenants’ endpoints get nothing of it', async () => {
    const [mine, other] = [await receiving(), await receiving()];
    const others = await api.orgToken();
    other.prove((await post('/webhook-endpoints', { url: other.url }, others.token)).secret);
    const { id, secret } = await post('/webhook-endpoints', { url: mine.url, event_types: ['ticket.created'] });
    mine.prove(secret);
    await post(`/webhook-endpoints/${id}/ping`, {});
    expect(await mine.until(isAny)).toMatchObject([{ type: 'webhook_endpoint.pinged', record_id: id }]);
    await post('/clients', { name: 'Theirs', slug: 'theirs' }, others.token);
    const types = (await other.until(isAny)).map(({ type }) => type);
    expect(types).not.toContain('webhook_endpoint.pinged');
  });
});
