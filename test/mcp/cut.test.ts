import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut } from '../../functions/mcp/cut.ts';
import '../support/fast-check.ts';

/** Results that are too large, and how an agent goes on. */

const MOST = 24_000;
interface Row {
  readonly id: number;
  readonly text: string;
}

const rows = fc
  .array(fc.integer({ min: 0, max: 9_000 }), { minLength: 1, maxLength: 40 })
  .map((sizes) => sizes.map((size, id): Row => ({ id, text: '"é'.repeat(size / 4) })));

/** A list as a route returns it. */
const pageOf = (all: readonly Row[], page: number, size: number): string =>
  JSON.stringify({ data: all.slice((page - 1) * size, page * size), page, page_size: size, total: all.length });

const dataIn = (text: string | undefined): readonly Row[] => JSON.parse(text ?? '').data;

describe('a result', () => {
  it('that is short stays as it is', () => {
    expect(cut('{"id":1}')).toEqual(['{"id":1}']);
  });

  it('of pages leads to every record, once', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 50 }), (all, first) => {
        const seen: Row[] = [];
        let [page, size] = [1, first];
        while ((page - 1) * size < all.length) {
          const [text, hint] = cut(pageOf(all, page, size));
          expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(MOST);
          seen.push(...dataIn(text));
          const [, given, next] = /page_size=(\d+) and page=(\d+)/.exec(hint ?? '') ?? [];
          [page, size] = next === undefined ? [page + 1, size] : [Number(next), Number(given)];
        }
        expect(seen).toEqual(all);
      }),
      { numRuns: 60 },
    );
  });

  it('of a list with a cursor goes on after its last record', () => {
    const all = Array.from({ length: 9 }, (_, id) => ({ id, text: 'x'.repeat(5_000) }));
    const [text, hint] = cut(JSON.stringify({ data: all }), '</x?page_size=9&after=8>; rel="next"');
    expect([dataIn(text).length, hint]).toEqual([4, 'Cut at 24 KB, 4 of 9: go on with after=3.']);
    const [events, fewer] = cut(JSON.stringify({ data: all, next: 'cursor' }));
    expect([Object.keys(JSON.parse(events ?? '')), fewer]).toEqual([['data'], 'Cut at 24 KB, 4 of 9: ask for fewer.']);
  });

  it.each(['é', '\u{1f600}'])('that is no list is cut between characters: %s', (character) => {
    for (const before of ['', 'x', 'xx', 'xxx']) {
      const whole = JSON.stringify({ text: before + character.repeat(20_000) });
      const [text = '', hint] = cut(whole);
      expect([whole.startsWith(text), Buffer.byteLength(text) > MOST - 4, hint]).toEqual([true, true, 'Cut at 24 KB.']);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST);
    }
  });
});
