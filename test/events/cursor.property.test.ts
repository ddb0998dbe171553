import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Tenant } from '#table';
import { cursorOf, readCursor, WrongCursor } from '../../functions/events/cursor.ts';

const tenant = fc.uuid() as fc.Arbitrary<Tenant['id']>;
const position = fc.record({
  generation: fc.stringMatching(/^[0-9a-f]{12}$/),
  next: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
});

it('a cursor says its position to its own tenant', () => {
  fc.assert(
    fc.property(tenant, position, (own, at) => {
      const cursor = cursorOf(own, at);
      expect(cursor).toMatch(/^[\w-]{32}$/);
      expect(readCursor(cursor, own)).toEqual(at);
    }),
  );
});

it('and to no other tenant', () => {
  fc.assert(
    fc.property(tenant, tenant, position, (own, other, at) => {
      fc.pre(own !== other);
      expect(() => readCursor(cursorOf(own, at), other)).toThrow(WrongCursor);
    }),
  );
});

it('is refused with any of its characters altered, missing or repeated', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= é\0';
  const place = fc.nat(31);
  fc.assert(
    fc.property(tenant, position, place, fc.constantFrom('', ...alphabet), (own, at, index, character) => {
      const cursor = cursorOf(own, at);
      fc.pre(cursor[index] !== character);
      for (const length of [0, 1]) {
        const altered = cursor.slice(0, index) + character + cursor.slice(index + length);
        if (altered !== cursor) expect(() => readCursor(altered, own)).toThrow(WrongCursor);
      }
    }),
  );
});

it.each(['', 'latest', 'A'.repeat(32), 'A'.repeat(33), '\0'.repeat(32), `${'A'.repeat(32)}\n`])(
  '%j is none',
  (text) => {
    expect(() => readCursor(text, 'PLATFORM' as Tenant['id'])).toThrow(WrongCursor);
  },
);
