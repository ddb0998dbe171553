import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escaped, jsonText, quoted } from '../../local/terminal/printable.ts';

/** What moves a cursor, changes the order of what is read, or is not seen. */
const HOSTILE = {
  'a line break': ['\n', '\\n', '\\n'],
  'a return': ['\r', '\\r', '\\r'],
  'the beginning of a command': ['\x1b', '\\u{1b}', '\\u001b'],
  'the same of C1': ['\x9b', '\\u{9b}', '\\u009b'],
  delete: ['\x7f', '\\u{7f}', '\\u007f'],
  'an override of the direction': ['\u202e', '\\u{202e}', '\\u202e'],
  'an isolate': ['\u2066', '\\u{2066}', '\\u2066'],
  'an Arabic letter mark': ['\u061c', '\\u{61c}', '\\u061c'],
  'a line separator': ['\u2028', '\\u{2028}', '\\u2028'],
  'a space without width': ['\u200b', '\\u{200b}', '\\u200b'],
  'a joiner': ['\u200d', '\\u{200d}', '\\u200d'],
  'a byte order mark': ['\ufeff', '\\u{feff}', '\\ufeff'],
  'a soft hyphen': ['\xad', '\\u{ad}', '\\u00ad'],
  'another space': ['\u00a0', '\\u{a0}', '\\u00a0'],
  'a filler': ['\u3164', '\\u{3164}', '\\u3164'],
  'a variation selector': ['\ufe0f', '\\u{fe0f}', '\\ufe0f'],
  'a tag': ['\u{e0041}', '\\u{e0041}', '\\udb40\\udc41'],
  'half a pair': ['\ud800', '\\u{d800}', '\\ud800'],
} as const;

describe('a value that is printed', () => {
  it.each(Object.entries(HOSTILE))('shows %s, as text and as JSON', (_, [character, shown, inJson]) => {
    expect(escaped(`A${character}B`)).toBe(`A${shown}B`);
    expect(jsonText({ name: `A${character}B` }, 0)).toBe(`{"name":"A${inJson}B"}`);
  });

  it('stays as it is otherwise', () => {
    const text = 'Café Ελλάδα 東京 🍕 é "(suspended)" \\n';
    expect(escaped(text)).toBe(text);
    expect(quoted('Acme"  (suspended)\\')).toBe('"Acme\\"  (suspended)\\\\"');
  });

  it('is one line of nothing but visible characters and spaces, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escaped(text)).toMatch(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u);
      }),
    );
  });

  it('is the same value when it is read as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(0, 2), (value, indent) => {
        const text = jsonText(value, indent);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text).toMatch(/^[\p{L}\p{M}\p{N}\p{P}\p{S} \n]*$/u);
        if (indent === 0) expect(text).not.toContain('\n');
      }),
    );
  });
});
