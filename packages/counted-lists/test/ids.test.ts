import fc from 'fast-check';
import { validate, version } from 'uuid';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as ids from '../src/ids.ts';

const number = fc.integer({ min: 0, max: 2 ** 48 - 1 });

/** What common validators accept as a UUID (`docs/decisions/0009-ids.md`). */
const VALIDATORS: Readonly<Record<string, (id: string) => boolean>> = {
  'uuid@14 validate': validate,
  'uuid@14 version 4': (id) => version(id) === 4,
  'zod z.uuid()': (id) => z.uuid().safeParse(id).success,
  'zod z.uuidv4()': (id) => z.uuidv4().safeParse(id).success,
  'uuid@8 and @9 validate, yup string().uuid()': (id) =>
    /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(id),
  'validator.js isUUID(id, 4), joi guid({ version: "uuidv4" })': (id) =>
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(id),
  'RFC 9562: versions 1 to 8, variant 10': (id) =>
    /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(id),
  'ajv-formats uuid, joi guid()': (id) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id),
};

/** The first 48 bits of an id of a number. */
const scrambled = (value: number): string => ids.newId(value).replace('-', '').slice(0, 12);

describe('the bijection', () => {
  it('makes another 48-bit number of each, and finds it again, both ways', () => {
    fc.assert(
      fc.property(number, (value) => {
        const text = ids.sortKeyOf(value);
        const id = `${text.slice(0, 8)}-${text.slice(8)}-4000-8000-000000000000`;
        const other = ids.numberOf(id);
        expect(Number.isInteger(other) && other >= 0 && other < 2 ** 48).toBe(true);
        expect([ids.numberOf(ids.newId(value)), scrambled(other)]).toEqual([value, text]);
      }),
    );
  });

  it('makes what it always made: changing it would change every id there is', () => {
    expect([0, 1, 2, 1_000_000, 2 ** 48 - 1].map(scrambled)).toEqual([
      '87d6100d2b60',
      '1690c4dc6f18',
      '029eb7db8f29',
      '6a3d48787be9',
      '9d5b3bb72cf3',
    ]);
  });

  it('makes neighbours look nothing alike, in their first half and in their second', () => {
    const texts = Array.from({ length: 4_096 }, (_, value) => scrambled(value));
    for (const half of [texts.map((text) => text.slice(0, 6)), texts.map((text) => text.slice(6))]) {
      expect(new Set(half).size).toBeGreaterThan(4_090);
      const alike = half.filter((text, index) => text.slice(0, 3) === half[index + 1]?.slice(0, 3));
      expect(alike.length).toBeLessThan(10);
    }
  });
});

describe('an id', () => {
  it('carries its number, also in capitals, and no other', () => {
    fc.assert(
      fc.property(number, (value) => {
        const [one, other] = [ids.newId(value), ids.newId(value)];
        expect([ids.numberOf(one), ids.numberOf(other), ids.numberOf(one.toUpperCase())]).toEqual([
          value,
          value,
          value,
        ]);
        expect(one.slice(0, 13)).toBe(other.slice(0, 13));
        expect(one.slice(14)).not.toBe(other.slice(14));
      }),
    );
  });

  it.each(Object.entries(VALIDATORS))('is one to %s', (_, accepts) => {
    fc.assert(
      fc.property(number, (value) => {
        expect(accepts(ids.newId(value))).toBe(true);
      }),
    );
  });
});

describe('a sort key', () => {
  it('carries its number and sorts as it does', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(ids.numberIn(ids.sortKeyOf(a))).toBe(a);
        expect(ids.numberIn(`${ids.sortKeyOf(a)}-${ids.newId(a).slice(14)}`)).toBe(a);
        expect(ids.sortKeyOf(a)).toHaveLength(12);
        expect(ids.sortKeyOf(a) < ids.sortKeyOf(b)).toBe(a < b);
      }),
    );
  });
});
