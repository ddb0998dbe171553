import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBlank, NOT_BLANK, trimmed } from '../../shared/words.ts';
import { codePoint } from '../support/code-point.ts';

const INVISIBLE = [
  ...[' ', '\t', '\n', '\u0000', '\u0085', '\u009f', '\u00a0', '\u00ad', '\u034f', '\u061c', '\u115f', '\u180e'],
  ...['\u200b', '\u200d', '\u2028', '\u202e', '\u2060', '\u2066', '\u2800', '\u3000', '\u3164', '\ufe0f', '\ufeff'],
  ...['\uffa0', '\ufff9', '\u{1d173}', '\u{e0001}', '\u{e0061}', '\u{e01ef}'],
];
const VISIBLE = ['a', 'é', '.', '-', '\u0301', '\u05d0', '\u0e01', '\u4e2d', '\u2801', '\u{1f600}'];

describe('what shows nothing', () => {
  it.each(INVISIBLE.map((character) => [character.codePointAt(0)?.toString(16), character]))('is U+%s', (_, blank) => {
    expect(isBlank(blank)).toBe(true);
    expect(isBlank(`${blank}${blank}`)).toBe(true);
    expect(trimmed(`${blank}INC${blank}1${blank}${blank}`)).toBe(`INC${blank}1`);
  });

  it('is no letter, mark, digit, punctuation or symbol', () => {
    for (const visible of VISIBLE) {
      expect(isBlank(visible), visible).toBe(false);
      expect(trimmed(visible)).toBe(visible);
      expect(visible).toMatch(new RegExp(NOT_BLANK));
    }
  });

  it('is taken off both ends of any text, and from nowhere else', () => {
    const blanks = fc.array(fc.constantFrom(...INVISIBLE)).map((all) => all.join(''));
    fc.assert(
      fc.property(blanks, fc.string({ unit: codePoint }), blanks, (before, text, after) => {
        const core = trimmed(text);
        expect(text).toContain(core);
        expect(trimmed(core)).toBe(core);
        expect(trimmed(`${before}${text}${after}`)).toBe(core);
        expect(isBlank(text)).toBe(core === '');
      }),
    );
  });

  it('is refused by the pattern of the document as far as Latin-1 goes, and the pattern refuses nothing else', () => {
    const pattern = new RegExp(NOT_BLANK);
    for (const blank of INVISIBLE.filter((character) => character <= '\u00ff')) expect(blank).not.toMatch(pattern);
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        if (!pattern.test(text)) expect(isBlank(text)).toBe(true);
      }),
    );
  });
});
