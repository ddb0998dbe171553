import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import { causesOf } from '../causes.ts';

/** The fields of every line. */
class Lines extends LogFormatter {
  override formatAttributes(...[line, more]: Parameters<LogFormatter['formatAttributes']>): LogItem {
    const { logLevel: level, message, timestamp, serviceName: service, xRayTraceId: xray_trace_id } = line;
    const attributes = { level, message, timestamp: this.formatTimestamp(timestamp), service, xray_trace_id };
    return new LogItem({ attributes: { ...attributes, ...more } });
  }
}

/**
 * Writes the lines of the logger. It writes only the fields of an error that are listed here: errors of the SDK carry whole items of the table
 * (`Item`, `CancellationReasons`) and problems carry what callers sent, and more people read the log than may see these.
 */
export const logWriter = new Logger({
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
