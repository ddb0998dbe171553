import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalAddress } from '../../shared/ip-address.ts';

it.each([
  ['192.0.2.10', '192.0.2.10'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['2001:db8::0:1', '2001:db8::1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['::ffff:192.0.2.10', '192.0.2.10'],
  ['::FFFF:c000:20a', '192.0.2.10'],
  ['0:0:0:0:0:ffff:192.0.2.10', '192.0.2.10'],
  ['::', '::'],
  ['::1', '::1'],
])('%s is %s', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical);
});

it.each(['', '010.0.0.1', '192.0.2', '192.0.2.0/24', 'fe80::1%eth0', '[::1]', '2001:db8', ':::', 'a:b', ' ::1'])(
  '%j is none',
  (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  },
);

it('is the same of every spelling of an address, and of itself', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
      const plain = groups.map((group) => group.toString(16));
      const padded = plain.map((group) => group.padStart(4, '0').toUpperCase());
      const canonical = canonicalAddress(plain.join(':')) ?? '';
      expect(canonicalAddress(padded.join(':'))).toBe(canonical);
      expect(canonicalAddress(canonical)).toBe(canonical);
    }),
  );
});
