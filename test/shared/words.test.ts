import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFound, keyText, MAX_WORDS, sizeInWords, wantedWords, wordsOf } from '../../shared/words.ts';

/** Whether a query finds a record with one text. */
const finds = (q: string, text: string, claims: readonly string[] = []): boolean => {
  const wanted = wantedWords(q);
  return wanted.length > 0 && wanted.every((each) => isFound(each, wordsOf([text], claims), claims));
};

describe('the words of a text', () => {
  it.each<[string, readonly string[]]>([
    ['Acme  Billing, (Lisbon)', ['acme', 'billing', 'lisbon']],
    ['anna@acme.example', ['anna@acme.example', 'acme.example', 'example']],
    ['10.0.0.5', ['10.0.0.5', '0.0.5', '0.5', '5']],
    ['2001:db8::1', ['2001:db8::1', 'db8::1', '1']],
    ['2001:DB8:0:0:0:0:0:1', ['2001:db8::1', '2001:db8:0:0:0:0:0:1', 'db8::1', '1']],
    ['[::ffff:192.0.2.10]', ['ffff:192.0.2.10', '192.0.2.10', '0.2.10', '2.10', '10']],
    ['::ffff:192.0.2.10', ['192.0.2.10', 'ffff:192.0.2.10', '0.2.10', '2.10', '10']],
    [':: ::1', ['::', '1']],
    ['Acme\u2800Lda', ['acme', 'lda']],
    ['print print-server printer', ['print-server', 'printer', 'server']],
    ['Smith & Sons', ['smith', 'sons']],
    ['C++ #42 +351', ['c++', '42', '+351', '351']],
    ['???', ['???']],
    ['👩‍💻 dev', ['👩💻', 'dev']],
    ['株式会社トヨタ自動車', ['株式会社トヨタ自動車', 'トヨタ自動車', '自動車']],
    ['\u0301 ', []],
    ['Łódź–Đà’s', ["lodz-da's", "da's", 's']],
    ['ʼnuff O´Neil “Søren”', ['nuff', "o'neil", 'soren', 'neil']],
  ])('%j are %j', (text, words) => {
    expect(wordsOf([text], [])).toEqual(words);
  });

  it('are first the first ones of each text, and parts last', () => {
    const names = Array.from({ length: 20 }, (_, index) => `name${String.fromCharCode(97 + index)}`);
    expect(wordsOf([names.join(' '), 'i-1 x'], [])).toEqual(['namea', 'i-1', 'nameb', 'x', ...names.slice(2, 10)]);
  });

  it('and the claims are at most 12, of 100 characters, and 900 bytes with the longest once more', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 600 }), { minLength: 1, maxLength: 3 });
    const claim = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(texts, claim, (given, claimed) => {
        const words = wordsOf(given, [claimed]);
        expect(words.length).toBeLessThanOrEqual(MAX_WORDS);
        const bytes = words.map((word) => Buffer.byteLength(word));
        const all = bytes.reduce((sum, size) => sum + size, Buffer.byteLength(claimed));
        expect(all + Math.max(0, ...bytes)).toBeLessThanOrEqual(900);
        for (const word of words) {
          expect(Array.from(word).length).toBeLessThanOrEqual(100);
          expect(word).not.toMatch(/[\s\p{Cc}]/u);
          expect(word.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

describe('a query', () => {
  it.each<[string, string]>([
    ['billing', 'Acme Billing'],
    ['bill ACM', 'Acme Billing'],
    ['2001:db8::1', '2001:db8:0:0:0:0:0:1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:0db8:0000::0001', 'db-1 2001:db8:0:0::1, rack 7'],
    ['2001:db8:0:0', '2001:db8:0:0:0:0:0:1'],
    ['2001:db8::', '2001:db8:0:0:0:0:0:1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['1.2.3.4', '::FFFF:102:304'],
    ['::ffff:102:304', '::ffff:1.2.3.4'],
    ['print sil', 'Printer is silent'],
    ['anna@ac', 'anna@acme.example'],
    ['acme.example', 'anna@acme.example'],
    ['10.0.0', '10.0.0.5'],
    ['server', 'the print-server'],
    ['print-ser', 'the print-server'],
    ['(aguas)', 'Águas de Portugal'],
    ['smith & so', 'Smith & Sons'],
    ['strasse', 'Große Straße'],
    ['lodz', 'Zakład w Łodzi'],
    ['ŁÓDŹ', 'lodz'],
    ['soren aer', 'Søren, Ærø'],
    ["o'neil", 'O’Neil'],
    ['acme', 'Ac\u00adme\ufeff'],
    ['a\u200bcme\u202e bil', 'Acme\u2800Billing'],
    ['Oʼneil', "O'Neil"],
    ['neil', 'O´Neil'],
    ['print–ser', 'the print-server'],
    ['server', 'the print—server'],
    ['-5', '−5'],
    ['?', '???'],
    ['打印机没', '打印机没有声音'],
    ['声音 打印机', '打印机没有声音'],
    ['声音打印机', '打印机没有声音'],
    ['พิมพ์', 'เครื่องพิมพ์ไม่ทำงาน'],
    // Cut within a word: its segments are others than those of the text.
    ['เครื่องพิม', 'เครื่องพิมพ์ไม่ทำงาน'],
    ['print-server-of-lisbon', 'print-server-of-lisbon-東京'],
    ['서우', '서울 시청'],
    ['ﷺ', 'ﷺ'],
    ['a'.repeat(100), 'a'.repeat(300)],
  ])('%j finds %j', (q, text) => {
    expect(finds(q, text)).toBe(true);
  });

  it.each<[string, string]>([
    ['illing', 'Acme Billing'],
    ['acme x', 'Acme Billing'],
    ['acmebilling', 'Acme Billing'],
    ['%', 'Acme 100 %'],
    ['\u0301', 'Acme'],
  ])('%j does not find %j', (q, text) => {
    expect(finds(q, text)).toBe(false);
  });

  it('finds claims as they are written, in capitals and folded', () => {
    for (const q of ['T-0000', 't-0000', 'printer t-000042']) expect(finds(q, 'Printer', ['T-000042'])).toBe(true);
    expect(finds('AcMe', 'Bistro', ['acme-lisbon'])).toBe(true);
    expect(finds('#4', 'Bistro', ['#42'])).toBe(true);
    expect(finds('T–0000', 'Printer', ['T-000042'])).toBe(true);
    expect(finds('Ł–1', 'Printer', ['Ł–17'])).toBe(true);
    expect(finds('000042', 'Printer', ['T-000042'])).toBe(false);
  });

  it('finds a text by any prefixes of up to 12 of its words, in any order and case', () => {
    const word = fc.string({ unit: fc.constantFrom(...'aábcçß1-éÉЖłØ’–'), minLength: 1, maxLength: 8 });
    const picked = fc.tuple(fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(6), fc.boolean());
    fc.assert(
      fc.property(picked, ([words, seed, length, inCapitals]) => {
        const q = words
          .filter((_, index) => index === 0 || (seed >> index) % 2 === 0)
          .map((each) =>
            Array.from(each)
              .slice(0, 1 + length)
              .join(''),
          )
          .toReversed()
          .join(' ');
        // Of what is punctuation alone no text is found that has anything else.
        fc.pre(/[^\p{P}\s]/u.test(q));
        expect(finds(inCapitals ? q.toUpperCase() : q, words.join(' '))).toBe(true);
      }),
    );
  });

  it('finds no more than the first 1,000 characters of a text', () => {
    for (const text of ['a.', '!', '語。', 'x ', '\u0301'])
      expect(wordsOf([text.repeat(500_000)], [])).toEqual(wordsOf([text.repeat(500_000).slice(0, 1_000)], []));
  });
});

it('a text as a key is as it is, or of up to 1,024 bytes of its own', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '株', '🧾', ' '), maxLength: 500 });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const keys = [one, other].map(keyText);
      expect(keys.every((key) => Buffer.byteLength(key) <= 1_024)).toBe(true);
      expect(keys[0] === keys[1]).toBe(one.trim() === other.trim());
      expect(keyText(` ${one}\u200b`)).toBe(keys[0]);
    }),
  );
});

it.each([
  [1_048_576, '1 MB'],
  [65_536, '64 KB'],
  [20_480, '20 KB'],
  [1_500, '1500 bytes'],
])('says %s bytes as %s', (bytes, words) => {
  expect(sizeInWords(bytes)).toBe(words);
});
