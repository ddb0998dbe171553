import { describe, expect, it } from 'vitest';
import { csvLine, csvOf, usageLines } from '../../operator/commands/stage.ts';
import type { MonthlyUsage } from '../../operator/usage.ts';
import { monthIn } from '../../operator/usage.ts';

const ACME = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
const USAGE: MonthlyUsage = {
  month: '2026-11',
  complete: false,
  bytes_scanned: 12,
  organizations: [
    { org_id: ACME, slug: 'acme', name: '=SUM(A1),\u202e', requests: 3, units: 4.5, failed: 1, refused: 0 },
    { org_id: null, slug: null, name: null, requests: 1, units: 2, failed: 0, refused: 0 },
  ],
};

describe('usage', () => {
  it('is a table for people, in which a name cannot look like something else', () => {
    expect(usageLines(USAGE)).toEqual([
      expect.stringContaining('organization'),
      `           3           4.5          1          0  ${ACME}  acme  "=SUM(A1),\u202e"`,
      expect.stringMatching(/ {2}platform$/),
      '2026-11: 2 rows. Bytes of logs that were read: 12.',
      'Not all of 2026-11: it is not over, or its first lines are kept no more.',
    ]);
  });

  it('is a table for spreadsheets, which carry out nothing in it', () => {
    expect(csvOf(USAGE)).toEqual([
      'month,org_id,slug,name,requests,units,failed,refused',
      `2026-11,${ACME},acme,"'=SUM(A1),\u202e",3,4.5,1,0`,
      '2026-11,,,,1,2,0,0',
    ]);
    expect(csvLine(['a"b', 'c\nd', '-1', -1])).toBe(`"a""b","c\nd",'-1,-1`);
  });

  it.each(['2026-13', '2026-0', '26-11', '2026-11-01', ''])('is of no month %o', (text) => {
    expect(() => monthIn(text)).toThrow('must be a month');
  });

  it('is of a month of UTC, the next of which begins where it ends', () => {
    expect(monthIn('2026-12')).toEqual({ name: '2026-12', from: Date.UTC(2026, 11), until: Date.UTC(2027, 0) });
  });
});
