import { Logger } from '@aws-lambda-powertools/logger';
import { causesOf } from './causes.ts';

/**
 * The one logger of all functions. Of an error it writes what is listed here and nothing else: the SDK's errors carry whole items of the table
 * (`Item`, `CancellationReasons`), problems carry what callers sent, and a log is read by more people than either.
 */
export const logger = new Logger({
  serviceName: 'custodia',
  jsonReplacerFn: (_, value) => (value instanceof Error ? told(value) : value),
});

interface Told {
  readonly name: string;
  readonly message: string;
  /** Of a system call: `ECONNRESET`. */
  readonly code: unknown;
  /** Of an answer over HTTP. */
  readonly status: unknown;
  readonly stack: string | undefined;
  readonly cause: Told | undefined;
}

const told = (error: Error): Told | undefined =>
  causesOf(error).reduceRight<Told | undefined>((cause, each) => ({ ...described(each), cause }), undefined);

function described(error: Error): Omit<Told, 'cause'> {
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
