import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InvalidArgumentError } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { positiveNumber, seedNumber, wholeNumberOption } from '../../local/terminal/command-line.ts';
import { type Output, showProgress } from '../../local/terminal/progress.ts';
import manifest from '../../package.json' with { type: 'json' };

/** What the longer commands have in common. */

const ROOT = join(import.meta.dirname, '../..');

/** Runs a script of package.json, that is a file, as npm would. */
async function run(script: keyof typeof manifest.scripts, ...flags: string[]) {
  const [program, ...args] = manifest.scripts[script].split(' ');
  expect(program).toBe('node');
  const done = promisify(execFile)(process.execPath, [...args, ...flags], { cwd: ROOT });
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

describe('a mistake in the flags', () => {
  it.each([
    ['fuzz', '--requests', '0'],
    ['fuzz', '--reqests', '5'],
    ['soak', '--runs', '0'],
    ['soak', 'fast'],
    ['bench', 'pages', '--smal'],
    ['seed', '--days', '2.5'],
    ['seed', '--url', 'https://api.example.org'],
    ['test:dates', 'tomorrow'],
  ] as const)('of npm run %s, %s, is said in one line, with exit code 2', async (script, ...flags) => {
    expect(await run(script, ...flags)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*\n$/),
    });
  });

  it.each([
    ['0', wholeNumberOption()],
    ['-1', wholeNumberOption()],
    ['1.5', wholeNumberOption()],
    ['many', wholeNumberOption()],
    ['', wholeNumberOption()],
    ['1000000000', wholeNumberOption()],
    ['11', wholeNumberOption({ to: 10 })],
    ['0', positiveNumber],
    ['0.0', positiveNumber],
    ['-2', positiveNumber],
    ['1e3', positiveNumber],
    ['Infinity', positiveNumber],
    ['-1', seedNumber],
    ['2147483648', seedNumber],
  ])('that is %j is one', (text, parse) => {
    expect(() => parse(text)).toThrow(InvalidArgumentError);
  });

  it('is none where it is a number that can be', () => {
    expect([
      wholeNumberOption()('1'),
      wholeNumberOption({ to: 10 })('10'),
      positiveNumber('0.5'),
      seedNumber('0'),
    ]).toEqual([1, 10, 0.5, 0]);
  });
});

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function shown(stream: Partial<Output>) {
    let written = '';
    let count = 0;
    const write = (text: unknown): boolean => {
      written += String(text);
      return true;
    };
    const progress = showProgress(() => `${++count} of 9, ${'x'.repeat(100)}`, { ...stream, write });
    const take = (): string => {
      const text = written;
      written = '';
      return text;
    };
    return { progress, take };
  }

  it('is one line of a terminal that changes, and goes', () => {
    const { progress, take } = shown({ isTTY: true, columns: 40 });
    vi.advanceTimersByTime(500);
    expect(take()).toBe(`\r\x1b[K1 of 9, ${'x'.repeat(31)}\r\x1b[K2 of 9, ${'x'.repeat(31)}`);
    progress.clear();
    expect(take()).toBe('\r\x1b[K');
    progress.stop();
    vi.advanceTimersByTime(60_000);
    expect(take()).toBe('\r\x1b[K');
  });

  it('is a line now and then elsewhere', () => {
    const { progress, take } = shown({});
    vi.advanceTimersByTime(14_000);
    expect(take()).toBe('');
    vi.advanceTimersByTime(17_000);
    expect(take()).toMatch(/^1 of 9, x{100}\n2 of 9, x{100}\n$/);
    progress.clear();
    progress.stop();
    vi.advanceTimersByTime(60_000);
    expect(take()).toBe('');
  });
});
