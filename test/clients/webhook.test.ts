import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { sign, signedBody } from '../../functions/webhooks/signature.ts';
import { signWebhook, verifyWebhook } from '../../packages/client/src/index.ts';
import { codePoint } from '../support/code-point.ts';

/** `signWebhook` and `verifyWebhook` of the client, against the service's own. */

const SECRET = 'a-secret-of-at-least-thirty-two-characters';
const BODY = '{ "event_type": "client.created", "data": { "name": "Ação ☂" } }';
const NOW = Date.parse('2026-11-20T12:00:00Z');
const now = () => NOW;

describe('a signature', () => {
  it('is that of docs/webhooks.md', async () => {
    expect(await signWebhook('{}', SECRET)).toBe('81391bcfe888fe7615724f3d8f3fe4feb0b3cb3dfa2f45a23eecd4fdeaf4630e');
  });

  it('is that of the service, whatever the body and the secret', async () => {
    const samples = fc.record({
      body: fc.string({ unit: codePoint }),
      secret: fc.string({ minLength: 32, unit: 'grapheme' }),
    });
    await fc.assert(
      fc.asyncProperty(samples, async ({ body, secret }) => {
        expect(await signWebhook(body, secret)).toBe(sign(body, secret));
        expect(await signWebhook(Buffer.from(body), secret)).toBe(sign(body, secret));
      }),
    );
  });

  it('is verified as the service does, which returns the text to parse', async () => {
    const written = fc
      .tuple(fc.json(), fc.constantFrom('', ' ', '\n\t'), fc.constantFrom('', '\uFEFF'))
      .map(([text, space, mark]) => `${mark}${space}${text.replaceAll(',', `,${space}`)}${space}`);
    const body = fc.oneof(
      written.map((text) => Buffer.from(text)),
      fc.string({ unit: fc.constantFrom(...'{}[]":\\ \n,a1e.-☂') }).map((text) => Buffer.from(text)),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    );
    const signedForm = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.replace(/^\uFEFF/, '').replace(/\s/g, ''),
      (text) => {
        try {
          return JSON.stringify(JSON.parse(text.replace(/^\uFEFF/, '')));
        } catch {
          return 'another text';
        }
      },
    );
    await fc.assert(
      fc.asyncProperty(body, signedForm, fc.boolean(), async (sent, form, isUpper) => {
        const right = sign(form(sent.toString()), SECRET);
        const signature = isUpper ? right.toUpperCase() : right;
        const expected = signedBody(sent, signature, [SECRET]);
        const verified = await verifyWebhook({ body: sent, signature }, { secrets: [SECRET] });
        expect(verified).toBe(expected === undefined ? undefined : new TextDecoder().decode(expected));
      }),
      { numRuns: 500 },
    );
  });

  it('is right under either of two secrets, and under no other', async () => {
    const received = { body: BODY, signature: await signWebhook(BODY, 'the-old-secret') };
    expect(await verifyWebhook(received, { secrets: ['the-new-secret', 'the-old-secret'] })).toBe(BODY);
    expect(await verifyWebhook(received, { secrets: ['the-new-secret'] })).toBeUndefined();
    expect(await verifyWebhook(received, { secrets: [] })).toBeUndefined();
  });

  it('is wrong when it is changed, cut, extended, not hex or missing', async () => {
    const right = await signWebhook(BODY, SECRET);
    const flipped = `${right[0] === '0' ? '1' : '0'}${right.slice(1)}`;
    const notHex = [right.slice(0, 62), `${right}00`, ` ${right}`, `sha256=${right}`, `g${right.slice(1)}`, ''];
    for (const signature of [flipped, ...notHex, null, undefined])
      expect(await verifyWebhook({ body: BODY, signature }, { secrets: [SECRET] })).toBeUndefined();
    expect(await verifyWebhook({ body: `${BODY}x`, signature: right }, { secrets: [SECRET] })).toBeUndefined();
  });
});

describe('a tolerance', () => {
  const verify = async (timestamp: string | undefined, tolerance?: number) =>
    (await verifyWebhook(
      { body: BODY, signature: await signWebhook(BODY, SECRET), timestamp },
      { secrets: [SECRET], now, ...(tolerance === undefined ? {} : { tolerance }) },
    )) !== undefined;

  it.each([
    ['2026-11-20T12:00:00Z', true],
    ['2026-11-20T11:55:00Z', true],
    ['2026-11-20T12:05:00Z', true],
    ['2026-11-20T11:54:59Z', false],
    ['2026-11-20T12:05:01Z', false],
    ['2026-11-20T13:00:00+01:00', true],
    ['2026-11-20T12:00:00', true],
    ['yesterday', false],
    [undefined, false],
  ])('of 300 s takes %s at noon: %j', async (timestamp, isTaken) => {
    expect(await verify(timestamp, 300)).toBe(isTaken);
    expect(await verify(timestamp)).toBe(true);
  });

  it.each([
    ['of 40 characters is read', `2026-11-20T12:00:00.${'0'.repeat(19)}Z`, true],
    ['of 41 is refused', `2026-11-20T12:00:00.${'0'.repeat(20)}Z`, false],
    ['of 32,000 is refused', 'T'.repeat(32_000), false],
  ])('with a timestamp that %s, and before any regular expression sees it', async (_, timestamp, isTaken) => {
    const seen = [vi.spyOn(RegExp.prototype, 'test'), vi.spyOn(RegExp.prototype, 'exec')];
    const signature = await signWebhook(BODY, SECRET);
    const verified = await verifyWebhook(
      { body: BODY, signature, timestamp },
      { secrets: [SECRET], tolerance: 300, now },
    );
    const isLooked = seen.some(({ mock }) => mock.calls.length > 0);
    expect([verified, isLooked]).toEqual(isTaken ? [BODY, true] : [undefined, false]);
    expect(await verify(timestamp)).toBe(isTaken);
  });
});
