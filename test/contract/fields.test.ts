import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import * as field from '#contract/field';
import { decimal, shownOf } from '../../shared/contract/fields.ts';
import { codePoint } from '../support/code-point.ts';

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

const LONE_SURROGATE = 'a\ud800b';

describe('every kind of text', () => {
  const kinds = {
    text: field.text(50),
    name: field.name(50),
    word: field.word(),
    code: field.code(),
    slug: field.slug(),
    email: field.email(),
    webAddress: field.webAddress(),
    uuid: field.uuid(),
    timestamp: field.timestamp(),
    tag: field.tags().out.element,
  };

  it.each(Object.entries(kinds))('%s refuses unpaired surrogates', (_, schema) => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (before, after) => {
        expect(accepts(schema, `${before.toWellFormed()}\udc00x${after.toWellFormed()}`)).toBe(false);
      }),
    );
    expect(accepts(schema, LONE_SURROGATE)).toBe(false);
  });

  it.each(Object.entries(kinds))('%s refuses what is no text', (_, schema) => {
    for (const value of [null, undefined, 1, true, {}, [], ['a']]) expect(accepts(schema, value)).toBe(false);
  });

  it.each([
    ['uuid', field.uuid(), fc.uuid().map((id) => id.toUpperCase())],
    [
      'timestamp',
      field.timestamp(),
      fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
    ],
    ['email', field.email(), fc.stringMatching(/^[a-zA-Z0-9]{1,20}$/).map((user) => `${user}@Acme.example`)],
    ['webAddress', field.webAddress(), fc.webUrl({ withQueryParameters: true, withFragments: true })],
    ['text', field.text(1_000), fc.string({ unit: 'grapheme' })],
  ])('%s returns its own result unchanged the second time', (_, schema, valid) => {
    fc.assert(
      fc.property(valid, (value) => {
        const responded = schema.parse(value);
        expect(schema.parse(responded)).toBe(responded);
      }),
    );
  });
});

describe('text and names', () => {
  it('keep any Unicode up to their length, in code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (value) => {
        expect(accepts(field.text(20), value)).toBe([...value].length <= 20);
        if ([...value].length <= 20) expect(field.text(20).parse(value)).toBe(value);
      }),
    );
  });

  it('refuse a blank name', () => {
    for (const blank of ['', ' ', '\t\n', '\u00a0\u3000', '\u200b', '\u3164\u2800', '\u202e\u00ad', '\u0000']) {
      expect(accepts(field.name(20), blank)).toBe(false);
      expect(accepts(field.identifier(20, 1), blank)).toBe(false);
    }
    expect(field.name(20).parse(' a ')).toBe(' a ');
  });

  it.each([
    ['an identifier', field.identifier(20)],
    ['a required identifier', field.identifier(20, 1)],
    ['a code', field.code()],
    ['a slug', field.slug()],
  ])('have one spelling of %s, without what shows nothing at its ends', (_, schema) => {
    for (const spelling of ['inc-1', ' inc-1', 'inc-1\r\n', '\ufeffinc-1\u200b', '\u202einc-1\u00a0'])
      expect(schema.parse(spelling)).toBe('inc-1');
  });

  it('take words, codes and slugs to the end of the line', () => {
    for (const schema of [field.word(), field.code(), field.slug()]) {
      expect(accepts(schema, 'abc')).toBe(true);
      for (const bad of ['', 'a\nbc', 'a bc', 'a/b', '-a', 'é']) expect(accepts(schema, bad)).toBe(false);
    }
    for (const bad of ['abc\n', ' abc']) expect(accepts(field.word(), bad)).toBe(false);
    expect([accepts(field.word(), 'a'.repeat(40)), accepts(field.word(), 'a'.repeat(41))]).toEqual([true, false]);
  });

  it('take only web addresses that a browser opens as a page', () => {
    expect(accepts(field.webAddress(), 'https://acme.example/a?b=c#d')).toBe(true);
    for (const bad of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://a',
      '//a',
      'a',
      `https://${'a'.repeat(2048)}`,
      'https://a/b c',
      'https://a\u200b.example',
      'https://a/\u202e',
    ]) {
      expect(accepts(field.webAddress(), bad)).toBe(false);
    }
  });
});

describe('a UUID', () => {
  it('is accepted in any case, of any version, and returned in lower case', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.infiniteStream(fc.boolean()), (id, upper) => {
        const mixed = id.replace(/[a-f]/g, (digit) => (upper.next().value ? digit.toUpperCase() : digit));
        expect(field.uuid().parse(mixed)).toBe(id);
      }),
    );
    expect(field.uuid().parse('00000000-0000-0000-0000-000000000000')).toBe('00000000-0000-0000-0000-000000000000');
  });

  it('is refused in any other form', () => {
    const id = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
    for (const bad of [
      `{${id}}`,
      `urn:uuid:${id}`,
      id.replaceAll('-', ''),
      `${id}\n`,
      ` ${id}`,
      `${id}0`,
      id.slice(1),
    ]) {
      expect(accepts(field.uuid(), bad)).toBe(false);
    }
  });
});

describe('a timestamp', () => {
  const offset = fc.tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
  const two = (value: number): string => String(value).padStart(2, '0');

  it('names the same instant, whatever its offset, in UTC with milliseconds', () => {
    const instant = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, offset, (date, [sign, hours, minutes]) => {
        const shift = (sign === '+' ? 1 : -1) * (hours * 60 + minutes) * 60_000;
        const local = new Date(date.getTime() + shift).toISOString().slice(0, -1);
        expect(field.timestamp().parse(`${local}${sign}${two(hours)}:${two(minutes)}`)).toBe(date.toISOString());
      }),
    );
  });

  it('keeps four digits of year in UTC', () => {
    expect(field.timestamp().parse('0001-01-01T00:00:00Z')).toBe('0001-01-01T00:00:00.000Z');
    for (const bad of [
      '0001-01-01T00:00:00+00:01',
      '0000-12-31',
      '9999-12-31T23:59:59-01:00',
      '+012026-11-20T00:00:00Z',
    ]) {
      expect(accepts(field.timestamp(), bad)).toBe(false);
    }
  });

  it('is taken in every form of ISO 8601 that names a point in time, and is UTC without a zone', () => {
    const same = [
      '2026-11-20T09:30:00',
      '2026-11-20T09:30',
      '20261120T093000Z',
      '2026-11-20T10:30:00+0100',
      '2026-11-20T09:30:00,0Z',
    ];
    for (const value of [...same, '2026-11-20t04:30:00.000000-05']) {
      expect(field.timestamp().parse(value)).toBe('2026-11-20T09:30:00.000Z');
    }
    expect(field.timestamp().parse('2026-11-20')).toBe('2026-11-20T00:00:00.000Z');
  });

  it('is refused where there is no such time', () => {
    const bad = [
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-11-20T24:00:00Z',
      '2026-11-20T09:30:00+24:00',
      '2026-11-20T09:30:00+01:60',
      '2026-11-20T',
      '2026-11',
      '1763631000',
      `2026-11-20T09:30:00.${'1'.repeat(40)}Z`,
    ];
    for (const value of bad) expect(accepts(field.timestamp(), value)).toBe(false);
  });
});

describe('a date or a time', () => {
  it.each([
    ['2026-12-01', '2026-12-01'],
    ['20261201', '2026-12-01'],
    ['2028-02-29', '2028-02-29'],
    ['2026-12-01T00:00:00Z', '2026-12-01T00:00:00.000Z'],
    ['2026-12-01T01:30+01:30', '2026-12-01T00:00:00.000Z'],
    ['20261201t00', undefined],
    ['2026-02-30', undefined],
    ['2026-12-01T25:00:00Z', undefined],
    ['31/12/2026', undefined],
    ['46022', undefined],
    ['banana', undefined],
    ['0000-01-01', undefined],
    ['2026-12', undefined],
    ['2026-12-01 ', undefined],
    ['', undefined],
  ])('%j is %j', (given, returned) => {
    const { success, data } = field.dateOrTime().safeParse(given);
    expect([success, data]).toEqual([returned !== undefined, returned]);
    const { pattern } = shownOf(field.dateOrTime());
    if (returned !== undefined) expect(returned).toMatch(new RegExp(String(pattern)));
  });
});

describe('numbers', () => {
  it('stay between their bounds and come back to the last digit, but for what is as good as zero', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const result = decimal(-1e12, 1e12).safeParse(value);
        expect(result.success).toBe(Math.abs(value) <= 1e12);
        if (result.success) expect(Object.is(result.data, Math.abs(value) < 1e-12 ? 0 : value)).toBe(true);
      }),
    );
  });

  it('of DynamoDB are never denormal', () => {
    for (const tiny of [5e-324, -5e-324, 2.2e-308, 1e-131, -0]) expect(decimal(-1, 1).parse(tiny)).toBe(0);
    expect(decimal(0, 1).parse(1e-12)).toBe(1e-12);
  });

  it('that count are whole, not negative and safe', () => {
    for (const good of [0, 1, Number.MAX_SAFE_INTEGER]) expect(field.count().parse(good)).toBe(good);
    expect(Object.is(field.count().parse(-0), 0)).toBe(true);
    for (const bad of [-1, 0.5, 2 ** 53, 1e300, Number.NaN, Infinity, '1', null])
      expect(accepts(field.count(), bad)).toBe(false);
  });
});

describe('a JSON object', () => {
  it('comes back to the letter, whatever its keys', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', '\ud800', ''));
    const { object } = fc.letrec<{ object: unknown; value: unknown }>((tie) => ({
      object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
      value: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), tie('object'), fc.array(tie('value'), { maxLength: 3 })),
    }));
    fc.assert(
      fc.property(object, (value) => {
        const sent = JSON.stringify(value);
        expect(JSON.stringify(field.jsonObject().parse(JSON.parse(sent)))).toBe(JSON.stringify(JSON.parse(sent)));
      }),
    );
  });

  it('keeps `__proto__` as a key like any other', () => {
    const sent = '{"__proto__":{"admin":true},"a":[{"__proto__":1}],"n":1e+300}';
    expect(JSON.stringify(field.jsonObject().parse(JSON.parse(sent)))).toBe(sent);
    expect(Object.hasOwn({}, 'admin')).toBe(false);
  });

  it('is refused where it is none, or holds what JSON cannot write again', () => {
    for (const bad of ['[]', '"a"', '1', 'null', 'true', '{"a":1e400}', '{"a":[{"b":-1e999}]}']) {
      expect(accepts(field.jsonObject(), JSON.parse(bad))).toBe(false);
    }
  });
});
