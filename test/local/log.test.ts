import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LOG_LEVELS, type LogLevel, readLogLevel } from '../../local/settings.ts';
import { divertLogger, terminalLog } from '../../local/terminal/log.ts';
import { logger } from '../../shared/logger.ts';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';

/** The log of `npm start`. */

function logAt(level: LogLevel) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const log = terminalLog(level, { stdout, stderr } as unknown as Pick<NodeJS.Process, 'stdout' | 'stderr'>);
  const read = (stream: PassThrough): string => String(stream.read() ?? '');
  return { log, written: () => ({ stdout: read(stdout), stderr: read(stderr) }) };
}

describe('LOG_LEVEL', () => {
  it('leaves out what is less than it', () => {
    const told = LOG_LEVELS.map((level) => {
      const { log, written } = logAt(level);
      for (const own of ['debug', 'info', 'warn', 'error'] as const) log[own](own);
      return Object.values(written()).join('');
    });
    expect(told).toEqual([
      'DEBUG debug\ninfo\nWARN warn\nERROR error\n',
      'info\nWARN warn\nERROR error\n',
      'WARN warn\nERROR error\n',
      'ERROR error\n',
      '',
    ]);
  });

  it('is info unless it is set, and refused in one sentence when it is none', () => {
    expect([readLogLevel({}), readLogLevel({ LOG_LEVEL: '' }), readLogLevel({ LOG_LEVEL: 'WARN' })]).toEqual([
      'info',
      'info',
      'warn',
    ]);
    expect(() => readLogLevel({ LOG_LEVEL: 'loud' })).toThrow(/^LOG_LEVEL must be one of .*, not "loud"\.$/);
  });
});

describe('the logger of the functions', () => {
  const diverted = (level: LogLevel = 'info') => {
    const own = Object.create(logger) as typeof logger;
    const { log, written } = logAt(level);
    divertLogger(own, log);
    return { own, written };
  };

  it('writes an error as text: what went wrong, whose request it was, where it was thrown, and what caused it', () => {
    const { own, written } = diverted();
    const cause = Object.assign(new TypeError('no such word'), { Item: { secret: 'of the table' } });
    within(new Invocation({ request_id: 'r-1', method: 'POST', operation: 'createClient' }), () =>
      own.error('The service failed', { error: new Error('it broke', { cause }) }),
    );
    const { stdout, stderr } = written();
    expect(stdout).toBe('');
    const [first, ...others] = stderr.split('\n');
    expect(first).toBe('ERROR The service failed, request r-1, operation createClient');
    expect(others[0]).toBe('  Error: it broke');
    expect(others[1]).toMatch(/^ +at .*\(?test\/local\/log\.test\.ts:\d+:\d+\)?$/);
    expect(others).toContain('  Caused by: TypeError: no such word');
    expect(stderr).not.toMatch(/node_modules|node:|secret|of the table|\{/);
  });

  it('writes warnings beside, and keeps to the level', () => {
    const quiet = diverted('error');
    quiet.own.warn('slow', { error: new Error('x') });
    expect(quiet.written()).toEqual({ stdout: '', stderr: '' });
    const { own, written } = diverted();
    own.warn('slow');
    expect(written()).toEqual({ stdout: '', stderr: 'WARN slow\n' });
  });
});
