import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOnly, record } from '#contract';
import * as field from '#contract/field';
import { parseJson } from '#json';
import { checkReadOnlyFields, prefersLenient, readOnlyFieldsIn } from '../../shared/http/request/validate.ts';

const thing = record('Thing', () => ({
  id: readOnly(field.uuid()),
  at: readOnly(field.timestamp().nullable()),
  size: readOnly(field.count()),
}));

const isTaken = (method: 'POST' | 'PATCH', json: string, current: object): boolean => {
  const body = method === 'POST' ? thing.create : thing.patch;
  try {
    checkReadOnlyFields({ method, body }, readOnlyFieldsIn(body, parseJson(json)), current);
    return true;
  } catch {
    return false;
  }
};
const methods = fc.constantFrom('POST' as const, 'PATCH' as const);

const instants = fc.date({
  min: new Date('1000-01-02T00:00:00Z'),
  max: new Date('9000-01-01T00:00:00Z'),
  noInvalidDate: true,
});

/** The instant as a clock in a zone so many minutes ahead of UTC shows it. */
function inZone(instant: Date, minutes: number): string {
  const two = (value: number) => String(Math.trunc(value)).padStart(2, '0');
  const local = new Date(instant.getTime() + minutes * 60_000).toISOString().slice(0, -1);
  const ahead = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${two(ahead / 60)}:${two(ahead % 60)}`;
}

describe('a field that cannot be set is compared by value', () => {
  it('a time in every zone', () => {
    fc.assert(
      fc.property(
        methods,
        instants,
        fc.integer({ min: -840, max: 840 }),
        fc.integer({ min: 1, max: 1e9 }),
        (method, at, zone, off) => {
          const current = { at: at.toISOString() };
          const other = new Date(at.getTime() + off);
          expect(isTaken(method, JSON.stringify({ at: inZone(at, zone) }), current)).toBe(true);
          expect(isTaken(method, JSON.stringify({ at: inZone(other, zone) }), current)).toBe(false);
        },
      ),
    );
  });

  it('a number in every form', () => {
    fc.assert(
      fc.property(methods, fc.nat(), fc.integer({ min: 0, max: 5 }), (method, size, zeros) => {
        const forms = [`${size}`, `${size}.${'0'.repeat(zeros)}0`, `${size}e0`, `${size * 10}e-1`];
        for (const form of forms) expect(isTaken(method, `{"size":${form}}`, { size })).toBe(true);
        for (const form of forms) expect(isTaken(method, `{"size":${form}}`, { size: size + 1 })).toBe(false);
        expect(isTaken(method, `{"size":"${size}"}`, { size })).toBe(false);
      }),
    );
  });

  it('a UUID in either case', () => {
    fc.assert(
      fc.property(methods, fc.uuid(), fc.uuid(), (method, id, other) => {
        fc.pre(id !== other);
        expect(isTaken(method, JSON.stringify({ id: id.toUpperCase() }), { id })).toBe(true);
        expect(isTaken(method, JSON.stringify({ id: other }), { id })).toBe(false);
      }),
    );
  });

  it('null is no value in a creation, and a value in a change', () => {
    const json = '{"at":null}';
    const at = '2026-11-20T09:30:00.000Z';
    expect([isTaken('POST', json, { at }), isTaken('PATCH', json, { at })]).toEqual([true, false]);
    expect([isTaken('PATCH', json, { at: null }), isTaken('PATCH', json, {})]).toEqual([true, true]);
  });
});

it.each<[string, boolean]>([
  ['handling=lenient', true],
  ['Handling = "lenient"', true],
  ['respond-async, handling=lenient; of=all', true],
  ['handling=lenient, handling=strict', true],
  ['handling=strict, handling=lenient', false],
  ['handling=lenient2', false],
  ['handling', false],
  ['xhandling=lenient', false],
  ['', false],
])('Prefer: %s', (prefer, isLenient) => {
  expect(prefersLenient({ headers: new Map([['prefer', prefer]]) })).toBe(isLenient);
});
