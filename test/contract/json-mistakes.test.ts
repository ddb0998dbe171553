import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mistakeIn } from '#json';
import { codePoint } from '../support/code-point.ts';

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
