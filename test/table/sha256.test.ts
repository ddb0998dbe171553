import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sha256 } from '../../shared/table/connection/sha256.ts';

/** Bytes in each form that the SDK passes them in: views that begin and end within their buffer, too. */
const forms = (bytes: Uint8Array) => {
  const within = new Uint8Array(bytes.length + 7);
  within.set(bytes, 3);
  const view = within.subarray(3, 3 + bytes.length);
  return [bytes, view, view.slice().buffer, new DataView(within.buffer, 3, bytes.length), Buffer.from(bytes)];
};

const digestOf = async (parts: readonly (string | ArrayBuffer | ArrayBufferView)[], secret?: string | Uint8Array) => {
  const hash = secret === undefined ? new Sha256() : new Sha256(secret);
  for (const part of parts) hash.update(part);
  return Buffer.from(await hash.digest());
};

describe('SHA-256', () => {
  it('is that of Node, of bytes in any form and of text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.string({ unit: 'binary' }), async (bytes, text) => {
        const expected = createHash('sha256').update(bytes).update(text).digest();
        for (const form of forms(bytes)) expect(await digestOf([form, text])).toEqual(expected);
      }),
    );
  });

  it('begins anew after a reset', async () => {
    const hash = new Sha256();
    hash.update('a');
    hash.reset();
    hash.update('b');
    expect(Buffer.from(await hash.digest())).toEqual(createHash('sha256').update('b').digest());
  });
});

describe('HMAC', () => {
  it('is that of Node, with a key of text or of bytes, the same one again too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1 }),
        fc.string({ unit: 'binary', minLength: 1 }),
        async (key, text) => {
          const withBytes = createHmac('sha256', key).update(text).digest();
          for (const _ of ['first', 'again']) expect(await digestOf([text], key)).toEqual(withBytes);
          expect(await digestOf([key], text)).toEqual(createHmac('sha256', text).update(key).digest());
        },
      ),
    );
  });
});
