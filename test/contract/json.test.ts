import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mistakeIn, parseJson, parseWhere } from '#json';
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

const said = (text: string): string => {
  const { line, column, found, expected } = mistakeIn(text) ?? {};
  return `${line}:${column} ${found}, not ${expected}`;
};

/** The error of V8; undefined where it parses. */
function errorOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the mistake in a text that is not JSON', () => {
  it.each([
    ['{"a":1,}', '1:8 `}`, not a name in double quotes'],
    ['{\n  "a": 1\n  "b": 2\n}', '3:3 `"`, not `,` or `}`'],
    ['{"a":1', '1:7 the end of the text, not `,` or `}`'],
    ["{'a':1}", "1:2 `'`, not a name in double quotes or `}`"],
    ['{"a" 1}', '1:6 `1`, not `:`'],
    ['[1,]', '1:4 `]`, not a value'],
    ['[,', '1:2 `,`, not a value or `]`'],
    ['[1 2]', '1:4 `2`, not `,` or `]`'],
    ['{"secret":cst_1234}', '1:11 `c`, not a value'],
    ['NaN', '1:1 `N`, not a value'],
    ['01', '1:2 `1`, not the end of the text'],
    ['{}{}', '1:3 `{`, not the end of the text'],
    ['[1]]', '1:4 `]`, not the end of the text'],
    ['"é😀', '1:4 the end of the text, not a closing quotation mark'],
    ['"a\nb"', '1:3 a line break, not its escape sequence'],
    ['"a\u0000"', '1:3 U+0000, not its escape sequence'],
    ['"\\x"', '1:3 `x`, not an escape sequence such as `\\n` or `\\u00e9`'],
    ['“a”', '1:1 U+201C, not a value'],
    ['\u00a0{}', '1:1 U+00A0, not a value'],
    [' ', '1:2 the end of the text, not a value'],
  ])('has a place, what is there, and what JSON has there: %j', (text, mistake) => {
    expect(said(text)).toBe(mistake);
  });

  it('is there where JSON.parse throws, and at the place of its error', () => {
    const piece = fc.oneof(
      fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'u00e9', ' ', '\n', '-', '0', '1.5', 'e', 'true', 'nul'),
      fc.string({ unit: codePoint, maxLength: 2 }),
    );
    const damaged = fc
      .tuple(fc.jsonValue(), fc.option(fc.constant(2), { nil: undefined }), piece, fc.nat(), fc.nat(2))
      .map(([value, space, inserted, place, removed]) => {
        const text = JSON.stringify(value, null, space);
        const at = place % (text.length + 1);
        return (text.slice(0, at) + inserted + text.slice(at + removed)).toWellFormed();
      });
    fc.assert(
      fc.property(
        fc.oneof(
          damaged,
          fc.array(piece).map((pieces) => pieces.join('').toWellFormed()),
        ),
        (text) => {
          const error = errorOf(text);
          const mistake = mistakeIn(text);
          expect(mistake === undefined).toBe(error === undefined);
          const [, position] = /^Expected .* at position (\d+)/.exec(error ?? '') ?? [];
          if (mistake === undefined || position === undefined) return;
          const before = text.slice(0, Number(position)).split('\n');
          expect([mistake.line, mistake.column]).toEqual([before.length, [...(before.at(-1) ?? '')].length + 1]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
