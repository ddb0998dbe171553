import { expect, it } from 'vitest';
import { isFound, wordsOf } from './list-oracle.ts';

/** The oracle itself, by the examples that people gave. */

const searched = { words: ['name', 'address'], claims: ['code'] };

it.each<[name: string, words: string[]]>([
  ['Printer is silent', ['printer', 'is', 'silent']],
  ['  (Águas)  STRASSE, ', ['aguas', 'strasse']],
  ['Straße', ['strasse']],
  ['Łódź', ['lodz']],
  ['10.0.0.7', ['10.0.0.7', '0.0.7', '0.7', '7']],
  ['anna@example.com', ['anna@example.com', 'example.com', 'com']],
  ['print-server/2', ['print-server/2', 'server/2', '2']],
  ['東京支店', ['東京支店', '支店']],
  ['-- … !', ['--', '...', '!']],
])('the words of %j', (name, words) => {
  expect(wordsOf(name)).toEqual(words);
});

it.each<[q: string, isThere: boolean]>([
  ['billing', true],
  ['bill ACME', true],
  ['acm', true],
  ['anna@ex', true],
  ['example', true],
  ['example.com', true],
  ['— bill', true],
  ['—', false],
  ['t-0', true],
  ['T-000042 acme', true],
  ['000042', false],
  ['cme', false],
  ['acme billings', false],
  ['xample', false],
])('q=%s', (q, isThere) => {
  const row = { name: 'Acme Billing', address: 'anna@example.com', code: 'T-000042' };
  expect(isFound(row, q, searched)).toBe(isThere);
});
