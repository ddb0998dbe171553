import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, parseWhere } from '#json';
import { codePoint } from '../support/code-point.ts';

const again = (text: string): string => JSON.stringify(parseJson(text));

describe('parsing JSON', () => {
  it.each([
    '12345678901234567890',
    '[1.0,0.10,-0,1e400,1E5,2e-7,-0.0]',
    '{"a":{"b":[100000000000000000000]},"c":"1.0"}',
    '{"1.0":1.50}',
    '[-65536.00000002003,0.12345678901234567]',
  ])('keeps numbers as they are written: %s', (text) => {
    expect(again(text)).toBe(text);
  });

  it.each([
    '{"ip":"10.0.0.1","id":"3e4f0000-0000-4000-8000-000000000000","day":"2026-01-02","n":1}',
    '"label-0"',
    '["a\\"1.0","\\\\",1.5,"\\u00e9-0"]',
  ])('takes what looks like a number in a string for a string: %s', (text) => {
    const value = JSON.parse(text);
    expect(parseJson(text)).toEqual(value);
    expect(parseWhere(text, () => expect.fail('asked whether it is worth keeping'))).toEqual({ value, isExact: true });
  });

  it('returns every JSON text without spaces', () => {
    const number = fc.oneof(
      fc.bigInt().map(String),
      fc.tuple(fc.integer(), fc.stringMatching(/^\d{1,20}$/)).map(([whole, fraction]) => `${whole}.${fraction}`),
      fc.tuple(fc.integer(), fc.integer({ min: -400, max: 400 })).map(([digits, exponent]) => `${digits}e${exponent}`),
      fc.constant('-0'),
    );
    const string = fc
      .oneof(fc.string({ unit: codePoint }), number, fc.constantFrom('"', '\\', '\\"', '-0"'))
      .map((text) => JSON.stringify(text));
    const { text } = fc.letrec<{ readonly text: string }>((tie) => ({
      text: fc.oneof(
        { depthSize: 'small' },
        number,
        string,
        fc.array(tie('text')).map((elements) => `[${elements.join()}]`),
        fc
          .uniqueArray(fc.tuple(fc.string({ unit: codePoint }), tie('text')), { selector: ([name]) => name })
          // Names that are whole numbers come first in an object of JavaScript.
          .map((members) => members.filter(([name]) => !/^\d+$/.test(name) && name !== '__proto__'))
          .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`),
      ),
    }));
    fc.assert(
      fc.property(text, (given) => {
        expect(again(given)).toBe(given);
      }),
    );
  });

  it.each(['', '{', '1.', '01', '"\\', '{"a":1.0,}', '[1e]'])('refuses what is no JSON: %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});
