import type { APIGatewayProxyResult } from 'aws-lambda';
import { Problem } from '#contract';
import { escapedSize } from '#json';
import { MOST_RETURNED } from './limits.ts';
import type { Line } from './lines.ts';

/** The outcome of an operation: its status, and its result as JSON text. */
export interface Result {
  readonly status: number;
  readonly text: string;
  /**
   * Whether the operation is to be sent again as it is: its outcome is not known, it was not begun, or others were
   * changing its record. A 500 is none of these: it may fail again each time, and must not hold up what follows.
   */
  readonly isUndecided: boolean;
}

/** What a response of a route must have for its result. */
type Response = Pick<APIGatewayProxyResult, 'statusCode' | 'headers' | 'body'>;

/** Makes the results of a batch, as long as all together are not too large. */
export class Results {
  readonly #isWhole: boolean;
  readonly #requestId: string;
  #left = MOST_RETURNED;

  /** @param isWhole whether a result has the whole record, and not only its id and version */
  constructor(isWhole: boolean, requestId: string) {
    this.#isWhole = isWhole;
    this.#requestId = requestId;
  }

  /** The result of an operation that was carried out or refused. */
  of({ key }: Line, { statusCode, headers = {}, body }: Response): Result {
    const { ETag: etag, 'Idempotent-Replayed': replayed, 'Retry-After': retryAfter } = headers;
    const members = {
      ...(etag === undefined ? {} : { etag }),
      ...(replayed === undefined ? {} : { replayed: true }),
      ...(retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }),
    };
    const content = statusCode >= 400 ? this.#problem(body) : this.#record(body, String(etag));
    return this.#result(key, statusCode, members, content);
  }

  /** The result of an operation that was not begun. @param retryAfter seconds to wait before it is sent again */
  notAttempted(line: Line, retryAfter = 0): Result {
    return this.refused(line, NOT_ATTEMPTED, String(retryAfter));
  }

  /** The result of an operation that this problem kept from starting. @param retryAfter by default the problem's */
  refused({ key }: Line, problem: Problem, retryAfter = problem.headers['Retry-After']): Result {
    const members = retryAfter === undefined ? {} : { retry_after: Number(retryAfter) };
    const body = JSON.stringify(problem.detailsFor(this.#requestId));
    return this.#result(key, problem.status, members, [`"problem":${body}`]);
  }

  #result(key: string, status: number, members: { readonly retry_after?: number }, content: readonly string[]): Result {
    const known = JSON.stringify({ key, status, ...members }).slice(0, -1);
    const isUndecided = status === 503 || (members.retry_after !== undefined && status < 500);
    return { status, text: `${[known, ...content].join()}}`, isUndecided };
  }

  #record(body: string, etag: string): string[] {
    if (body === '') return [];
    if (this.#isWhole) return this.#fits(body) ? [`"body":${body}`] : ['"omitted":true'];
    const { id } = JSON.parse(body) as { readonly id: unknown };
    const version = /^"(\d+)\./.exec(etag)?.[1];
    return [`"body":${JSON.stringify({ id, version: version === undefined ? undefined : Number(version) })}`];
  }

  #problem(body: string): string[] {
    const { errors, ...problem } = JSON.parse(body) as { readonly errors?: unknown };
    if (errors === undefined || this.#fits(body)) return [`"problem":${body}`];
    return [`"problem":${JSON.stringify(problem)}`, '"omitted":true'];
  }

  /** Takes the room for a text, where there is room. */
  #fits(text: string): boolean {
    const size = escapedSize(text);
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }
}

const NOT_ATTEMPTED = new Problem('not-attempted', { detail: 'This operation was not begun: send it again.' });

/** How many results have which status. */
export const countsOf = (results: readonly Result[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(results, ({ status }) => status),
      ([status, { length }]) => [status, length],
    ),
  );
