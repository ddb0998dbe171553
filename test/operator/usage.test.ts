import { describe, expect, it } from 'vitest';
import { csvOf, type MonthlyUsage, monthIn, usageLines } from '../../operator/usage.ts';

const ACME = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
const PLATFORM = { org_id: null, slug: null, name: null, requests: 1, units: 2, failed: 0, refused: 0 };

const usageFor = (name: string): MonthlyUsage => ({
  month: '2026-11',
  complete: false,
  organizations: [{ org_id: ACME, slug: 'acme', name, requests: 3, units: 4.5, failed: 1, refused: 0 }, PLATFORM],
});

describe('usage', () => {
  it('is a table for people, in which a name cannot look like something else', () => {
    expect(usageLines(usageFor('=SUM(A1),\u202e'))).toEqual([
      expect.stringContaining('organization'),
      `           3           4.5          1          0  ${ACME}  acme  "=SUM(A1),\u202e"`,
      expect.stringMatching(/ {2}platform$/),
      'Not all of 2026-11: it is not over, or its first lines are kept no more.',
    ]);
  });

  it.each([
    ['=SUM(A1),x', `"'=SUM(A1),x"`],
    ['a"b', '"a""b"'],
    ['c\nd', '"c\nd"'],
    ['-1', "'-1"],
  ])('is a table for spreadsheets, which carry out nothing in %o', (name, cell) => {
    expect(csvOf(usageFor(name))).toEqual([
      'month,org_id,slug,name,requests,units,failed,refused',
      `2026-11,${ACME},acme,${cell},3,4.5,1,0`,
      '2026-11,,,,1,2,0,0',
    ]);
  });

  it.each(['2026-13', '2026-0', '26-11', '2026-11-01', ''])('is of no month %o', (text) => {
    expect(() => monthIn(text)).toThrow('must be a month');
  });

  it('is of a month of UTC, the next of which begins where it ends', () => {
    expect(monthIn('2026-12')).toEqual({ name: '2026-12', from: Date.UTC(2026, 11), until: Date.UTC(2027, 0) });
  });
});
