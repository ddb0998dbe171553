import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import { causesOf } from '../errors.ts';
import { annotations } from './invocation.ts';

/** The fields of a line besides its message. */
export interface About {
  readonly error?: Error;
}

/**
 * The logger of all functions. It adds the annotations of the invocation to every line; keys that are appended to
 * Powertools' logger itself would be those of all requests of the process.
 */
export const logger = {
  warn: (message: string, about: About = {}): void => write('warn', message, about),
  error: (message: string, about: About = {}): void => write('error', message, about),
};

const write = (level: 'warn' | 'error', message: string, about: About): void =>
  writer[level](message, { ...annotations(), ...about });

/** The fields of every line. */
class Lines extends LogFormatter {
  override formatAttributes(...[line, more]: Parameters<LogFormatter['formatAttributes']>): LogItem {
    const { logLevel: level, message, timestamp, serviceName: service, xRayTraceId: xray_trace_id } = line;
    const attributes = { level, message, timestamp: this.formatTimestamp(timestamp), service, xray_trace_id };
    return new LogItem({ attributes: { ...attributes, ...more } });
  }
}

/**
 * Writes the lines. It writes only the fields of an error that are listed here: errors of the SDK carry whole items of
 * the table (`Item`, `CancellationReasons`) and problems carry what callers sent, and more people read the log than may
 * see these.
 */
const writer = new Logger({
  serviceName: 'custodia',
  logFormatter: new Lines(),
  jsonReplacerFn: (_, value) => (value instanceof Error ? loggable(value) : value),
});

interface LoggedError {
  readonly name: string;
  readonly message: string;
  /** The code of a system call: `ECONNRESET`. */
  readonly code: unknown;
  /** The status of an HTTP response. */
  readonly status: unknown;
  readonly stack: string | undefined;
  readonly cause: LoggedError | undefined;
}

const loggable = (error: Error): LoggedError | undefined =>
  causesOf(error).reduceRight<LoggedError | undefined>((cause, each) => ({ ...described(each), cause }), undefined);

function described(error: Error): Omit<LoggedError, 'cause'> {
  const { name, message, stack } = error;
  const { code, status, $metadata } = error as {
    readonly code?: unknown;
    readonly status?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: unknown };
  };
  return { name, message, code: plain(code), status: plain(status ?? $metadata?.httpStatusCode), stack };
}

const plain = (value: unknown): string | number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? value : undefined;
