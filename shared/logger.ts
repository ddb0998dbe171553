import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import { causesOf } from './causes.ts';
import { annotations } from './telemetry/invocation.ts';

/**
 * Adds the annotations of the invocation to every line. Keys that are appended to the logger itself would be those of all requests of the
 * process.
 */
class AnnotatedLines extends LogFormatter {
  override formatAttributes(...[line, more]: Parameters<LogFormatter['formatAttributes']>): LogItem {
    const { logLevel: level, message, timestamp, serviceName: service, xRayTraceId: xray_trace_id } = line;
    const attributes = { level, message, timestamp: this.formatTimestamp(timestamp), service, xray_trace_id };
    return new LogItem({ attributes: { ...attributes, ...annotations(), ...more } });
  }
}

/**
 * The logger of all functions. Of an error it logs only the fields listed here: errors of the SDK carry whole items of the table
 * (`Item`, `CancellationReasons`) and problems carry what callers sent, and more people read the log than may see these.
 */
export const logger = new Logger({
  serviceName: 'custodia',
  logFormatter: new AnnotatedLines(),
  jsonReplacerFn: (_, value) => (value instanceof Error ? loggable(value) : value),
});

interface LoggedError {
  readonly name: string;
  readonly message: string;
  /** Of a system call: `ECONNRESET`. */
  readonly code: unknown;
  /** Of an HTTP response. */
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
