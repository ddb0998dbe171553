import { expect, it } from 'vitest';
import { verifyWebhook } from '../../packages/client/src/index.ts';
import { fakeClient, INTEGRATION, inOrder, json, refusal } from './fake.ts';

/** `sendWebhook` of `@custodia/client`. */

const EVENT = { event_type: 'client.created', data: { name: 'Café ☂' } };
const RECEIPT = { received: true, app: 'acme', timestamp: '2026-11-20T12:00:00Z' };
const received = () => json(RECEIPT);

it('signs the text that it sends, under one id in all attempts, and without a token', async () => {
  const replies = inOrder(
    () => new TypeError('fetch failed'),
    () => refusal('unavailable', 503),
    received,
  );
  const { custodia, sent } = fakeClient(replies, { credentials: INTEGRATION });
  expect(await custodia.sendWebhook(EVENT)).toEqual({ eventId: 'key-1', receipt: RECEIPT });
  expect(sent).toHaveLength(3);
  for (const { method, target, headers, body } of sent) {
    expect(body).toBe(JSON.stringify(EVENT));
    expect([method, target]).toEqual(['POST', '/stage/api/v1/webhooks/acme']);
    const signature = headers.get('x-signature');
    expect(await verifyWebhook({ body, signature }, { secrets: [INTEGRATION.secret] })).toBe(body);
    expect([headers.get('x-event-id'), headers.get('x-timestamp')]).toEqual(['key-1', '1970-01-01T00:16:40.000Z']);
    expect([headers.get('content-type'), headers.has('authorization')]).toEqual(['application/json', false]);
  }
});

it('takes id, time, app code and secret from the caller', async () => {
  const { custodia, sent } = fakeClient(received);
  const options = { appCode: 'other', secret: 'theirs', eventId: 'evt-1', timestamp: '2026-11-20T12:00:00Z' };
  expect(await custodia.sendWebhook(EVENT, options)).toEqual({ eventId: 'evt-1', receipt: RECEIPT });
  expect(sent[0]?.target).toBe('/stage/api/v1/webhooks/other');
  expect(sent[0]?.headers.get('x-timestamp')).toBe(options.timestamp);
  await expect(custodia.sendWebhook(EVENT)).rejects.toThrow(
    new TypeError('Webhooks are signed: name appCode and secret'),
  );
});

it('counts an event that was processed before as delivered, and no other conflict', async () => {
  const replies = inOrder(
    () => refusal('event-already-processed', 409),
    () => refusal('event-id-reused', 409),
    () => refusal('already-exists', 409),
  );
  const { custodia, sent } = fakeClient(replies, { credentials: INTEGRATION });
  const send = () => custodia.sendWebhook(EVENT, { eventId: 'evt-1' });
  expect(await send()).toEqual({ eventId: 'evt-1', receipt: undefined });
  await expect(send()).rejects.toMatchObject({ status: 409, type: 'urn:problem-type:custodia:event-id-reused' });
  await expect(send()).rejects.toMatchObject({ status: 409, type: 'urn:problem-type:custodia:already-exists' });
  expect(sent).toHaveLength(3);
});

it('ends with its signal', async () => {
  const { custodia, sent } = fakeClient(received, { credentials: INTEGRATION });
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(custodia.sendWebhook(EVENT, { signal })).rejects.toThrow('enough');
  expect(sent).toEqual([]);
});
