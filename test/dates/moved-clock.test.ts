import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freshModule } from '../support/fresh-module.ts';

/** Tests run under the requested clock: otherwise `npm run test:dates` would prove nothing. */

const MODULE = join(import.meta.dirname, 'moved-clock.ts');
const MINUTE = 60_000;

/** The machine's time, which nothing here moves. In epoch milliseconds. */
const realNow = (): number => performance.timeOrigin + performance.now();

/** How far the clock of this run is ahead, in milliseconds. */
const ahead = (): number => Number(process.env.TEST_CLOCK ?? 0);

/** What another process prints. */
async function printed(expression: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', expression], {
    env: { ...process.env, ...env },
  });
  return stdout.trim();
}

describe('the clock of this run', () => {
  afterEach(() => vi.useRealTimers());

  it('is as far ahead as was asked for, whoever looks at it', async () => {
    const shown = [
      Date.now(),
      Date.parse(new Date().toISOString()),
      Date.parse(Date()),
      new (class extends Date {})().getTime(),
      Number(await printed('Date.now()')),
    ];
    for (const time of shown) expect(Math.abs(time - realNow() - ahead())).toBeLessThan(MINUTE);
  });

  it('is as far ahead again after a test has set it', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 5 });
    expect([Date.now(), new Date().toISOString()]).toEqual([5, '1970-01-01T00:00:00.005Z']);
    vi.useRealTimers();
    expect(Math.abs(Date.now() - realNow() - ahead())).toBeLessThan(MINUTE);
  });

  it('is as far ahead again after a test has loaded modules anew', async () => {
    await freshModule('test/dates/moved-clock.ts');
    expect(Math.abs(Date.now() - realNow() - ahead())).toBeLessThan(MINUTE);
  });

  it('leaves dates that are given as they are', () => {
    const date = new Date('2028-02-29T12:00:00Z');
    expect([date.toISOString(), date instanceof Date, date.constructor === Date]).toEqual([
      '2028-02-29T12:00:00.000Z',
      true,
      true,
    ]);
    expect([new Date(0).getTime(), new Date(2028, 1, 29).getDate(), Date.UTC(1970, 0, 2)]).toEqual([0, 29, 86_400_000]);
  });

  it.skipIf(process.env.TZ === undefined)('is shown in the time zone that was asked for', () => {
    const noon = new Date('2028-02-29T12:00:00Z');
    const there = new Intl.DateTimeFormat('en', { timeZone: process.env.TZ, dateStyle: 'short', timeStyle: 'long' });
    expect(there.format(noon)).toBe(noon.toLocaleString('en', { dateStyle: 'short', timeStyle: 'long' }));
  });
});

describe('a clock that is moved', () => {
  const moved = (TEST_CLOCK: string, expression: string): Promise<string> =>
    printed(expression, { TEST_CLOCK, NODE_OPTIONS: `--import=${pathToFileURL(MODULE)}` });

  it('goes on from where it was moved to, also in the processes below', async () => {
    const child = `require('node:child_process').execFileSync(process.execPath, ['-p', 'Date.now()']).toString()`;
    for (const expression of ['Date.now()', 'new Date().getTime()', child]) {
      const time = Number(await moved(String(366 * 24 * 60 * MINUTE), expression));
      expect(Math.abs(time - realNow() - 366 * 24 * 60 * MINUTE)).toBeLessThan(MINUTE);
    }
  });

  it('is about to show another day before midnight', async () => {
    expect(await moved('before-midnight', 'new Date().toISOString()')).toMatch(/T23:59:/);
    const approach = `process.getBuiltinModule('node:module').createRequire('${MODULE}')('${MODULE}').approachMidnight(5_000)`;
    expect(await moved('before-midnight', `${approach}, new Date().toISOString()`)).toMatch(/T23:59:5/);
  });

  it('is not moved to what is no time', async () => {
    await expect(moved('tomorrow', 'Date.now()')).rejects.toThrow('TEST_CLOCK=tomorrow is no time');
  });
});
