import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signed } from '../../functions/events/deliveries/call.ts';
import * as endpointSecrets from '../../functions/events/endpoints/secrets.ts';

/** The verifier is the official library of Standard Webhooks. */

const body = JSON.stringify({ type: 'ticket.updated', timestamp: '2026-11-23T08:00:00Z', data: { title: 'Größe 🎉' } });
const [old, current, other] = Array.from({ length: 3 }, endpointSecrets.generate) as [string, string, string];
const at = (seconds: number, secrets: readonly string[]) => signed({ id: 'msg-1', seconds, body, secrets });
const now = () => Math.floor(Date.now() / 1000);

describe('a delivery is signed so that the official library', () => {
  it('takes it, with either secret while both live', () => {
    const headers = at(now(), [current, old]);
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const secret of [current, old]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('refuses it with another secret, another body, id or time, or when it is old', () => {
    const headers = at(now(), [current]);
    const verifier = new Webhook(current);
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature');
    expect(() => verifier.verify(body.replace('updated', 'deleted'), headers)).toThrow('No matching signature');
    for (const change of [{ 'webhook-id': 'msg-2' }, { 'webhook-timestamp': String(now() - 7) }])
      expect(() => verifier.verify(body, { ...headers, ...change })).toThrow('No matching signature');
    expect(() => verifier.verify(body, at(now() - 3_600, [current]))).toThrow('too old');
  });
});

it('secrets have the form of Standard Webhooks: 24 to 64 random bytes', () => {
  expect(old).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(new Set([old, current, other]).size).toBe(3);
});
