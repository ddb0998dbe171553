import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signed } from '../../functions/events/deliveries/call.ts';
import { answerTo, newChallenge } from '../../functions/events/endpoints/proof.ts';
import { verifyEvent } from '../../packages/client/src/index.ts';

/** `verifyEvent` of the client, against signatures of the official library of Standard Webhooks. */

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const SECRET = newSecret();
const SECONDS = 1_795_000_000;
const now = () => SECONDS * 1000;
const EVENT = { id: 'e-1', type: 'ticket.updated', record_id: 'Ação ☂' };
const BODY = JSON.stringify({ type: EVENT.type, timestamp: '2026-11-18T10:26:40Z', data: EVENT });

const signatureOf = (body: string, secret = SECRET, seconds = SECONDS, id = 'msg-1'): string =>
  new Webhook(secret).sign(id, new Date(seconds * 1000), body);

const headersOf = (signature: string, seconds: number | string = SECONDS) => ({
  'webhook-id': 'msg-1',
  'webhook-timestamp': String(seconds),
  'webhook-signature': signature,
});

const verify = (headers: Readonly<Record<string, string | undefined>>, secret: string | readonly string[] = SECRET) =>
  verifyEvent(BODY, headers, secret, { now });

it('gives the event, or the events of a batch, with the id of the delivery', async () => {
  const headers = headersOf(signatureOf(BODY));
  const expected = { id: 'msg-1', events: [EVENT], answer: '' };
  const upperCase = {
    'WEBHOOK-ID': 'msg-1',
    'Webhook-Timestamp': [String(SECONDS)],
    'Webhook-Signature': signatureOf(BODY),
  };
  const ofFramework = Object.assign(Object.create(null), { get: (name: string) => new Headers(headers).get(name) });
  for (const body of [BODY, Buffer.from(BODY)])
    for (const received of [headers, new Headers(headers), upperCase, ofFramework])
      expect(await verifyEvent(body, received, SECRET, { now })).toEqual(expected);
  const batch = JSON.stringify({ type: 'batch', data: [EVENT, { ...EVENT, id: 'e-2' }] });
  expect(await verifyEvent(batch, headersOf(signatureOf(batch)), SECRET, { now })).toEqual({
    id: 'msg-1',
    events: [EVENT, { ...EVENT, id: 'e-2' }],
    answer: '',
  });
});

it('takes any of several signatures, made with any of several secrets: before, while and after one is rotated', async () => {
  const [older, newer, other] = [newSecret(), newSecret(), newSecret()];
  const both = headersOf(`v1a,abc= ${signatureOf(BODY, newer)} ${signatureOf(BODY, older)}`);
  for (const secret of [older, newer, [newer, older], [other, older]]) expect(await verify(both, secret)).toBeDefined();
  for (const secret of [other, []]) expect(await verify(both, secret)).toBeUndefined();
});

it('takes the headers that the service makes', async () => {
  const [older, newer] = [newSecret(), newSecret()];
  const headers = signed({ id: 'msg-1', seconds: SECONDS, body: BODY, secrets: [newer, older] });
  for (const secret of [older, newer])
    expect(await verify(headers, secret)).toEqual({ id: 'msg-1', events: [EVENT], answer: '' });
});

it('answers a ping under the secret that signed it, and nothing that could be content to sign', async () => {
  const [older, newer] = [newSecret(), newSecret()];
  for (const [challenge, isAnswered] of [
    [newChallenge(), true],
    [`msg-1.${SECONDS}.{}`, false],
  ] as const) {
    const body = JSON.stringify({ type: 'webhook_endpoint.pinged', data: { ...EVENT, challenge } });
    const delivery = await verifyEvent(body, headersOf(signatureOf(body, older)), [newer, older], { now });
    expect(delivery?.answer).toBe(isAnswered ? answerTo(challenge, older) : '');
  }
});

describe('refuses', () => {
  const right = signatureOf(BODY);
  it.each([
    ['another body', signatureOf(`${BODY} `)],
    ['another id', signatureOf(BODY, SECRET, SECONDS, 'msg-2')],
    ['another time', signatureOf(BODY, SECRET, SECONDS - 1)],
    ['no signature', ''],
    ['a signature of another version', right.replace('v1,', 'v2,')],
    ['a signature without a version', right.slice(3)],
    ['a part of one', right.slice(0, -5)],
    ['one with a tail', `${right}AA`],
    ['what is no base64', right.replace(/.=$/, '!=')],
    ['more signatures than anybody sends', `${`v1,${'A'.repeat(43)}= `.repeat(20)}${right}`],
  ])('%s', async (_, signature) => {
    expect(await verify(headersOf(signature))).toBeUndefined();
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('a delivery without %s', async (name) => {
    expect(await verify({ ...headersOf(right), [name]: undefined })).toBeUndefined();
  });

  it.each([
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
  ])('a time %i s from now: taken %j', async (offset, isTaken) => {
    const seconds = SECONDS + offset;
    const delivery = await verify(headersOf(signatureOf(BODY, SECRET, seconds), seconds));
    expect(delivery !== undefined).toBe(isTaken);
  });

  it.each(['1e9', '0x6b', '', ' ', `${SECONDS}.0`, '9'.repeat(400)])('the time %j', async (seconds) => {
    expect(await verifyEvent(BODY, headersOf(right, seconds), SECRET, { now, tolerance: Infinity })).toBeUndefined();
  });

  it('a secret that is none of an endpoint', async () => {
    for (const secret of ['cst_abc', 'whsec_', 'whsec_a b'])
      await expect(verify(headersOf(right), secret)).rejects.toThrow('begins with whsec_');
  });
});
