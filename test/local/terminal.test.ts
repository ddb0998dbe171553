import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { InvalidArgumentError } from 'commander';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logger } from '#telemetry';
import { LOG_LEVELS, type LogLevel, readLogLevel } from '../../local/settings.ts';
import { positiveNumber, seedNumber, wholeNumberOption } from '../../local/terminal/command-line.ts';
import { divertLogger, type Log, terminalLog } from '../../local/terminal/log.ts';
import { escaped, jsonText, quoted } from '../../local/terminal/printable.ts';
import { type Output, showProgress } from '../../local/terminal/progress.ts';
import { terminalRequestLog } from '../../local/terminal/request-log.ts';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';
import { codePoint } from '../support/code-point.ts';

/** What commands read from a command line and write on a terminal. */

it.each<readonly [string, (text: string) => number]>([
  ...['0', '-1', '1.5', 'many', '', '1000000000'].map((text) => [text, wholeNumberOption()] as const),
  ['11', wholeNumberOption({ to: 10 })],
  ...['0', '0.0', '-2', '1e3', 'Infinity'].map((text) => [text, positiveNumber] as const),
  ...['-1', '2147483648'].map((text) => [text, seedNumber] as const),
])('%j is a mistake', (text, parse) => {
  expect(() => parse(text)).toThrow(InvalidArgumentError);
});

it('numbers that can be are none', () => {
  const read = [wholeNumberOption()('1'), wholeNumberOption({ to: 10 })('10'), positiveNumber('0.5'), seedNumber('0')];
  expect(read).toEqual([1, 10, 0.5, 0]);
});

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function progressOn(stream: Partial<Output>) {
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
    const { progress, take } = progressOn({ isTTY: true, columns: 40 });
    vi.advanceTimersByTime(500);
    expect(take()).toBe(`\r\x1b[K1 of 9, ${'x'.repeat(31)}\r\x1b[K2 of 9, ${'x'.repeat(31)}`);
    progress.clear();
    expect(take()).toBe('\r\x1b[K');
    progress.stop();
    vi.advanceTimersByTime(60_000);
    expect(take()).toBe('\r\x1b[K');
  });

  it('is a line now and then elsewhere', () => {
    const { progress, take } = progressOn({});
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

describe('a value that is printed', () => {
  /**
   * What moves a cursor, changes the order of what is read, or is not seen; as text, and as JSON where that differs.
   */
  it.each([
    ['a line break', '\n', '\\n', '\\n'],
    ['a return', '\r', '\\r', '\\r'],
    ['the beginning of a command', '\x1b', '\\u{1b}', '\\u001b'],
    ['the same of C1', '\x9b', '\\u{9b}', '\\u009b'],
    ['an override of the direction', '\u202e', '\\u{202e}', '\\u202e'],
    ['a line separator', '\u2028', '\\u{2028}', '\\u2028'],
    ['a space without width', '\u200b', '\\u{200b}', '\\u200b'],
    ['a byte order mark', '\ufeff', '\\u{feff}', '\\ufeff'],
    ['another space', '\u00a0', '\\u{a0}', '\\u00a0'],
    ['a filler', '\u3164', '\\u{3164}', '\\u3164'],
    ['a variation selector', '\ufe0f', '\\u{fe0f}', '\\ufe0f'],
    ['a tag', '\u{e0041}', '\\u{e0041}', '\\udb40\\udc41'],
    ['half a pair', '\ud800', '\\u{d800}', '\\ud800'],
  ])('shows %s, as text and as JSON', (_, character, text, json) => {
    expect(escaped(`A${character}B`)).toBe(`A${text}B`);
    expect(jsonText({ name: `A${character}B` }, 0)).toBe(`{"name":"A${json}B"}`);
  });

  it('stays as it is otherwise', () => {
    const text = 'Café Ελλάδα 東京 🍕 é "(suspended)" \\n';
    expect(escaped(text)).toBe(text);
    expect(quoted('Acme"  (suspended)\\')).toBe('"Acme\\"  (suspended)\\\\"');
  });

  it('is one line of nothing but visible characters and spaces, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(escaped(text)).toMatch(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u);
      }),
    );
  });

  it('is the same value when it is read as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: codePoint }), fc.constantFrom(0, 2), (value, indent) => {
        const text = jsonText(value, indent);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text).toMatch(/^[\p{L}\p{M}\p{N}\p{P}\p{S} \n]*$/u);
        if (indent === 0) expect(text).not.toContain('\n');
      }),
    );
  });
});

describe('the log of npm start', () => {
  function logAt(level: LogLevel) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const log = terminalLog(level, { stdout, stderr } as unknown as Pick<NodeJS.Process, 'stdout' | 'stderr'>);
    return { log, written: () => [stdout, stderr].map((stream) => String(stream.read() ?? '')) };
  }

  it('leaves out what is less than LOG_LEVEL', () => {
    const told = LOG_LEVELS.map((level) => {
      const { log, written } = logAt(level);
      for (const word of ['debug', 'info', 'warn', 'error'] as const) log[word](word);
      return written().join('');
    });
    const lines = ['DEBUG debug\n', 'info\n', 'WARN warn\n', 'ERROR error\n'];
    expect(told).toEqual([0, 1, 2, 3, 4].map((first) => lines.slice(first).join('')));
  });

  it('is that of info unless it is set, and refused in one sentence when it is none', () => {
    const levels = [{}, { LOG_LEVEL: '' }, { LOG_LEVEL: 'WARN' }].map((variables) => readLogLevel(variables));
    expect(levels).toEqual(['info', 'info', 'warn']);
    expect(() => readLogLevel({ LOG_LEVEL: 'loud' })).toThrow(/^LOG_LEVEL must be one of .*, not "loud"\.$/);
  });

  const diverted = (level: LogLevel = 'info') => {
    const own = Object.create(logger) as typeof logger;
    const { log, written } = logAt(level);
    divertLogger(own, log);
    return { own, written };
  };

  it('has an error of functions as text: what went wrong, whose request it was, where it was thrown, and why', () => {
    const { own, written } = diverted();
    const cause = Object.assign(new TypeError('no such word'), { Item: { secret: 'of the table' } });
    within(new Invocation({ request_id: 'r-1', method: 'POST', operation: 'createClient' }), () =>
      own.error('The service failed', { error: new Error('it broke', { cause }) }),
    );
    const [stdout, stderr = ''] = written();
    const [first, second, third, ...others] = stderr.split('\n');
    expect([stdout, first]).toEqual(['', 'ERROR The service failed, request r-1, operation createClient']);
    expect(second).toBe('  Error: it broke');
    expect(third).toMatch(/^ +at .*\(?test\/local\/terminal\.test\.ts\S*:\d+:\d+\)?$/);
    expect(others).toContain('  Caused by: TypeError: no such word');
    expect(stderr).not.toMatch(/node_modules|node:|secret|of the table|\{/);
  });

  it('has warnings of functions on standard error, and keeps to the level', () => {
    const [quiet, loud] = [diverted('error'), diverted()];
    quiet.own.warn('slow', { error: new Error('x') });
    loud.own.warn('slow');
    expect([quiet.written(), loud.written()]).toEqual([
      ['', ''],
      ['', 'WARN slow\n'],
    ]);
  });
});

describe('a line of a request', () => {
  const lineOf = async (target: string, stream: NodeJS.WritableStream): Promise<string> => {
    const lines: string[] = [];
    const log: Partial<Log> = { writes: () => true, info: (text) => lines.push(text) };
    const request = { requestId: '1', method: 'GET', target };
    await terminalRequestLog(log as Log, stream)(request, async () => ({ status: 503, caller: undefined }));
    return lines.join('\n');
  };

  it('has colours on a terminal, but where NO_COLOR is set, and none elsewhere', async () => {
    // Node reads more of the environment than this test is about, such as the `CI` of a runner.
    const getColorDepth = () =>
      WriteStream.prototype.getColorDepth({ TERM: 'xterm-256color', NO_COLOR: process.env.NO_COLOR });
    const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth });
    expect(await lineOf('/', terminal)).toContain('\x1b[31m503\x1b[39m');
    expect(await lineOf('/', new PassThrough())).not.toContain('\x1b');
    vi.stubEnv('NO_COLOR', '1');
    expect(await lineOf('/', terminal)).not.toContain('\x1b');
  });

  it('is one line without commands for the terminal, and not endless', async () => {
    expect(await lineOf('/a\x1b[2J\nb', new PassThrough())).toMatch(/^GET +\/a\?\[2J\?b +503 /);
    expect((await lineOf(`/${'x'.repeat(9_000)}`, new PassThrough())).length).toBeLessThan(400);
  });
});
