import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '#outbound';
import { isLoopback, isPublic } from '../../shared/outbound/target.ts';

/** The first and last addresses of each block, and their neighbours outside of it. */
const PRIVATE = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.0'],
  ...['127.255.255.255', '169.254.0.0', '169.254.169.254', '169.254.255.255', '172.16.0.0', '172.31.255.255'],
  ...['192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.0.0', '192.168.255.255', '198.18.0.0', '198.19.255.255'],
  ...['198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::127.0.0.1', '::8.8.8.8', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
  ...['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1', '100::1', '2001::1', '2001:0:4136:e378::', '2001:1ff::1'],
  ...['2001:db8::1', '2002:7f00:1::', '2002:808:808::', '3fff::1', '3fff:fff::1', '5f00::1', 'fc00::1'],
  ...['fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1'],
];
const PUBLIC = [
  ...[
    '1.0.0.0',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0'],
  ...['198.17.255.255', '198.20.0.0', '223.255.255.255', '2000::', '2001:200::1', '2001:db7::1', '2003::1'],
  ...['2606:4700:4700::1111', '3ffe::1', '3fff:1000::1'],
];

describe('an address is public', () => {
  it('outside of all special-purpose blocks, and never in another form of one', () => {
    expect(PRIVATE.filter(isPublic)).toEqual([]);
    expect(PUBLIC.filter((address) => !isPublic(address))).toEqual([]);
    expect(['', 'example.com', '127.1', '8.8.8.8 ', '0x8080808', 'fe80::1%eth0'].filter(isPublic)).toEqual([]);
  });

  it('or of this machine alone', () => {
    expect([...PRIVATE, ...PUBLIC].filter(isLoopback)).toEqual(['127.0.0.0', '127.255.255.255', '::1']);
  });
});

const host = (address: string): string => (address.includes(':') ? `[${address}]` : address);

describe('a URL is refused', () => {
  it.each(PRIVATE)('at the address %s', (address) => {
    expect(refusalOf(`https://${host(address)}/hook`, 'public')).toBeDefined();
    const refused = refusalOf(`https://${host(address)}/hook`, 'loopback') !== undefined;
    expect(refused).toBe(!isLoopback(address));
  });

  /** A part of an IPv4 address in any base and with any leading zeros, in ASCII, percent-encoded or full-width. */
  const written = (value: number): fc.Arbitrary<string> =>
    fc
      .tuple(
        fc.constantFrom(
          value.toString(),
          `0${value.toString(8)}`,
          `000${value.toString(8)}`,
          `0x${value.toString(16)}`,
          `0X000${value.toString(16)}`,
        ),
        fc.constantFrom('plain', 'percent', 'wide'),
      )
      .map(([text, form]) => {
        if (form === 'percent') return Array.from(text, (digit) => `%${digit.charCodeAt(0).toString(16)}`).join('');
        return form === 'wide'
          ? text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
          : text;
      });
  const forms = (address: number): fc.Arbitrary<string> => {
    const bytes = [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
    // The last part holds what is left: 127.1, 2130706433.
    const parts = [1, 2, 3, 4].map((count) => [...bytes.slice(0, count - 1), address % 2 ** (8 * (5 - count))]);
    return fc
      .tuple(
        fc.constantFrom(...parts).chain((values) => fc.tuple(...values.map(written))),
        fc.constantFrom('.', '%2e', '。'),
        fc.constantFrom('', '.'),
      )
      .map(([texts, dot, end]) => `${texts.join(dot)}${end}`);
  };

  it('at this machine in every form of its address', () => {
    const local = fc.constantFrom(0, 0x7f000001, 0x7fffffff, 0xa9fea9fe, 0x0a000001).chain(forms);
    fc.assert(
      fc.property(local, fc.constantFrom('', ':443', ':8443'), (text, port) => {
        expect(refusalOf(`https://${text}${port}/`, 'public')).toBeDefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ...['', 'hooks', '//hooks.acme.com', 'ftp://hooks.acme.com', 'file:///etc/passwd', 'http://hooks.acme.com/'],
    ...['https:hooks.acme.com', 'https:///hooks.acme.com', 'https://', 'https://hooks.acme.com\\@127.0.0.1/'],
    ...[
      ' https://hooks.acme.com/',
      'https://hooks.acme.com/\n',
      'https://hooks.ac\tme.com/',
      'https://hööks.acme.com/',
    ],
    ...[
      'https://user@hooks.acme.com/',
      'https://:pw@hooks.acme.com/',
      'https://hooks.acme.com/#part',
      'https://hooks.acme.com/#',
    ],
    ...[
      'https://localhost/',
      'https://LOCALHOST./',
      'https://a.localhost/',
      'https://intranet/',
      'https://hooks.acme.com./',
    ],
    ...['https://hooks.acme.com:0/', 'https://hooks.acme.com:65536/', 'https://256.1.1.1/', 'https://1.2.3.4.5/'],
    ...['https://[::1/', 'https://[fe80::1%25eth0]/', `https://hooks.acme.com/${'a'.repeat(2_048)}`],
  ])('that is %j', (url) => {
    expect(refusalOf(url, 'public')).toMatch(/^must (be|begin|have) /);
  });

  it('by http, but to this machine where that is let through', () => {
    for (const local of ['127.0.0.1:4000', '[::1]:4000', 'localhost:4000', 'a.localhost'])
      expect([refusalOf(`http://${local}/`, 'loopback'), refusalOf(`http://${local}/`, 'public')]).toEqual([
        undefined,
        'must begin with https://',
      ]);
    for (const other of [
      '10.0.0.1',
      '[fd00:ec2::254]',
      '169.254.169.254',
      '8.8.8.8',
      'hooks.acme.com',
      'localhost.acme.com',
    ])
      expect(refusalOf(`http://${other}/`, 'loopback')).toBe('must begin with https://');
  });
});

it.each([
  ...['https://hooks.acme.com', 'HTTPS://Hooks.Acme.COM/a?b=c%20d', 'https://hooks.acme.com:8443/', 'https://8.8.8.8/'],
  ...[
    'https://[2606:4700:4700::1111]/',
    'https://xn--hks-snaa.acme.com/',
    'https://a_b.acme.com/',
    'https://localhost.acme.com/',
  ],
])('a URL may be %s', (url) => {
  for (const targets of ['public', 'loopback'] as const) expect(refusalOf(url, targets)).toBeUndefined();
});
