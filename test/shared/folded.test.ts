import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folded } from '../../shared/words.ts';
import { codePoint } from '../support/code-point.ts';

/** Texts of many scripts, as they are typed: a prefix ends where a grapheme does. */
const graphemes = (text: string): string[] =>
  Array.from(new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment);

const SAMPLES = [
  'Águas de Portugal',
  'STRASSE straße',
  'ΟΔΟΣΑ οδός',
  'İstanbul ısı IŞIK',
  'Ёлки и Йогурт',
  '株式会社アクメ ｱｸﾒ',
  '한국전력 ᄒ',
  'कंपनी हिन्दी',
  'شركة ﷺ',
  'ﬁne ŉ ǆ Ａcme',
  'Łódź Søren Þór Đà Ħaż œuvre',
  "O’Neil Oʼneil O´N O`n rock'n'roll",
  'a–b c—d e−5 f‑g',
  'zero\u0000and\u0085controls\u00a0',
  '👩‍👧 Família',
  '#%_*?\\',
];
const text = fc
  .oneof(
    fc.constantFrom(...SAMPLES),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.array(fc.constantFrom(...SAMPLES.join('')), { maxLength: 30 }).map((parts) => parts.join('')),
  )
  .map((value) => value.toWellFormed());

describe('a folded text', () => {
  it('of ASCII alone is as in a longer text with other characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (ascii) => {
        expect(`${folded(ascii)} e`.trim()).toBe(folded(`${ascii} é`));
      }),
    );
  });

  it.each([
    ['ACME', 'acme'],
    ['  Acme \t\n Lda ', 'acme lda'],
    ['São João', 'SAO JOAO'],
    ['Sa\u0303o', 'são'],
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', 'οδος'],
    ['İzmir', 'izmir'],
    ['ＡＣＭＥ', 'acme'],
    ['ﬁne', 'FINE'],
    ['Ёлки', 'елки'],
    ['a\u0000b', 'A b'],
    ['Ac\u00adme\u200b\u2800\u3000Lda\u202e', 'acme lda'],
    ['Łódź', 'lodz'],
    ['Smørrebrød på Ærø', 'smorrebrod pa aero'],
    ['Þórður', 'thordur'],
    ['Đà Nẵng', 'da nang'],
    ['Ħaż-Żebbuġ', 'haz-zebbug'],
    ['ĐORĐE ČAĆIĆ', 'dorde cacic'],
    ['Sápmi: Ŋ, Ŧ, Ǥ', 'sapmi: n, t, g'],
    ['Bakı, Əliyev', 'baki, eliyev'],
    ['Ƙasar Ɗan Ɓauna', 'kasar dan bauna'],
    ['Ґалаґан', 'галаган'],
    ['Қазақ', 'казак'],
    ['Œuvre ǿ ǣ', 'oeuvre o ae'],
    ['Müller Öl', 'muller ol'],
    ['x\u1dc4 y\u20d7 t\ufe20s\ufe21', 'x y ts'],
    ...Array.from('‘’ʼ′`´＇ʻ\u1ffd').map((mark): [string, string] => [`O${mark}Neil`, "o'neil"]),
    ...Array.from('‐‑‒–—―−－﹣').map((dash): [string, string] => [`a${dash}b`, 'a-b']),
  ])('of %j is that of %j', (one, other) => {
    expect(folded(one)).toBe(folded(other));
  });

  it.each([
    ['हिन्दी', 'हन्दी'],
    ['acme', 'a cme'],
    ['Москва', 'Moskva'],
    ['が', 'か'],
    ['ー', '-'],
    ['ä', 'ae'],
  ])('of %j is not that of %j', (one, other) => {
    expect(folded(one)).not.toBe(folded(other));
  });

  it('begins with that of each prefix of the text, in any case', () => {
    fc.assert(
      fc.property(text, fc.nat(), (whole, seed) => {
        const parts = graphemes(whole);
        const prefix = parts.slice(0, seed % (parts.length + 1)).join('');
        expect(folded(whole).startsWith(folded(prefix))).toBe(true);
        expect(folded(whole.toUpperCase())).toBe(folded(whole));
        expect(folded(folded(whole))).toBe(folded(whole));
      }),
      { numRuns: 500 },
    );
  });

  it('is of each character the same in any case, and folds to itself', () => {
    const cases = (character: string) => [character.toUpperCase(), character.toLowerCase()];
    // Planes from the third on have no character with case or another form.
    const changing = Array.from({ length: 0x3_0000 }, (_, code) => String.fromCodePoint(code))
      .filter((character) => character.isWellFormed())
      .filter((character) => [...cases(character), character.normalize('NFKD')].some((other) => other !== character));
    expect(changing.length).toBeGreaterThan(1_000);
    const wrong = changing.filter(
      (character) => new Set([character, ...cases(character), folded(character)].map(folded)).size > 1,
    );
    expect(wrong).toEqual([]);
  });

  it('has the letters that Unicode’s collation finds alike, among those with a capital', () => {
    const alike = new Intl.Collator('en', { sensitivity: 'base' });
    const basic = Array.from('abcdefghijklmnopqrstuvwxyz');
    const typed = [...basic, ...basic.flatMap((one) => basic.map((other) => one + other))];
    const letters = Array.from({ length: 0x250 - 0xc0 }, (_, index) => String.fromCodePoint(0xc0 + index))
      .filter((letter) => /\p{Ll}/u.test(letter) && letter.toUpperCase() !== letter)
      .flatMap((letter) => typed.filter((each) => alike.compare(letter, each) === 0).map((each) => [letter, each]));
    expect(letters.length).toBeGreaterThan(100);
    // Its middle dot is a character of its own, as in `l·l`.
    const others = letters.filter(([letter = '']) => letter !== 'ŀ');
    expect(others.filter(([letter = '', each]) => folded(letter) !== each)).toEqual([]);
  });

  it('has no control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 300 }), (whole) => {
        expect(folded(whole.toWellFormed())).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
