import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as field from '#contract/field';
import { timeZone } from '../../functions/clients/time-zone.ts';
import { sameMailAddress } from '../../shared/contract/mail-address.ts';

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

describe('an email address', () => {
  it.each([
    'ines@acme.example',
    'a&b@example.com',
    'a/b=c@x.org',
    "o'neil+tag@x.co.uk",
    'info@xn--e1afmkfd.xn--p1ai',
    'root@localhost',
    'a@1.2.3.4',
    `a@${'b'.repeat(63)}.org`,
    'inês@acme.example',
    'info@bücher.example',
    'Ἀθηνᾶ@παράδειγμα.example',
    '用户@例子。example',
    'अजय@डाटा.भारत',
    `a@${'ü'.repeat(50)}.org`,
    `${'ü'.repeat(120)}@x.org`,
  ])('%s', (address) => {
    expect(accepts(field.email(), address)).toBe(true);
  });

  it.each([
    '',
    '@x.org',
    'ines',
    'ines@',
    'a b@x.org',
    'a@b@c.org',
    'a,b@x.org',
    'a\r\nb@x.org',
    '"a b"@x.org',
    'a@x..org',
    'a@-x.org',
    'a@x-.org',
    'a@[127.0.0.1]',
    `a@${'b'.repeat(64)}.org`,
    `${'a'.repeat(250)}@x.org`,
    `${'ü'.repeat(125)}@x.org`,
    `a@${'ü'.repeat(64)}.org`,
    'inês',
    'inês@',
    '@bücher.example',
    'info@bücher.example/x',
    'info@bücher.example:25',
    'info@bücher..example',
    'info@bü cher.example',
    'in\u200bfo@acme.example',
    'in\u3000fo@acme.example',
    'info@ac\u00adme.example',
    'info@acme\u200b.example',
    'info@bücher.example\\',
    'info@büch／er.example',
    'info@[bü]',
    'ines@a@bücher.example',
  ])('is not %j', (address) => {
    expect(accepts(field.email(), address)).toBe(false);
  });

  it('has every character that RFC 5322 allows in an atom', () => {
    const local = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}$/);
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(local, fc.array(label, { minLength: 1, maxLength: 5 }), (user, labels) => {
        expect(accepts(field.email(), `${user}@${labels.join('.')}`)).toBe(true);
      }),
    );
  });
});

describe('a mail address of another alphabet', () => {
  it('has one form of each letter, and stays as it is otherwise', () => {
    expect(field.email().parse('ine\u0302s@Acme.example')).toBe('inês@Acme.example');
    expect(field.email().parse('Info@BÜCHER.example')).toBe('Info@BÜCHER.example');
  });

  it.each([
    ['Inês@acme.example', 'ine\u0302s@ACME.example'],
    ['info@BÜCHER.example', 'info@xn--bcher-kva.example'],
    ['用户@例子。example', '用户@例子.example'],
    ['ΟΔΟΣ@x.example', 'οδος@x.example'],
    ['ΟΔΟΣ@x.example', 'οδοσ@x.example'],
    ['a@ａｃｍｅ.example', 'A@acme.example'],
  ])('%s is the same as %s', (one, other) => {
    expect(sameMailAddress(one)).toBe(sameMailAddress(other));
  });

  it.each([
    ['José@acme.example', 'jose@acme.example'],
    ['straße@acme.example', 'strasse@acme.example'],
    ['info@straße.example', 'info@strasse.example'],
    ['a@1.2', 'a@1.0.0.2'],
  ])('%s is not the same as %s', (one, other) => {
    expect(sameMailAddress(one)).not.toBe(sameMailAddress(other));
  });

  it('is claimed by a key of DynamoDB', () => {
    for (const address of [`${'İ'.repeat(120)}@x.org`, `${'ü'.repeat(60)}@${'ü.'.repeat(12)}org`]) {
      expect(accepts(field.email(), address)).toBe(true);
      expect(Buffer.byteLength(sameMailAddress(address))).toBeLessThan(1_024);
    }
  });
});

describe('a time zone', () => {
  const known = Intl.supportedValuesOf('timeZone');
  const alias =
    'UTC GMT Etc/UTC Etc/GMT+1 Asia/Kolkata Asia/Calcutta Europe/Kyiv US/Pacific EST5EDT GB-Eire Zulu GMT+0';
  const aliases = [...alias.split(' '), 'America/Argentina/Buenos_Aires', 'Australia/NSW'];

  it('is every name that the runtime lists, and an alias', () => {
    expect([...known, ...aliases].filter((name) => !accepts(timeZone(), name))).toEqual([]);
  });

  const others =
    '+01:00 -0330 +01 Z GMT+01:00 PST IST JST SystemV/PST8 Mars/Olympus Etc/Unknown europe/lisbon EUROPE/LISBON local';
  it.each([...others.split(' '), ' UTC', ''])('is not %j', (name) => {
    expect(accepts(timeZone(), name)).toBe(false);
  });

  it('has a pattern in the document that each of them matches', () => {
    const { pattern } = z.toJSONSchema(timeZone()) as { pattern: string };
    expect([...known, ...aliases].filter((name) => !new RegExp(pattern).test(name))).toEqual([]);
    expect(new RegExp(pattern).test('+01:00')).toBe(false);
  });
});
