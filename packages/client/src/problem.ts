import type { FieldError, KnownProblemType, Problem } from './schema.ts';

/** The type of a problem; later releases of the API add others. */
export type ProblemType = KnownProblemType | 'about:blank' | (string & {});

/** A refusal or failure that the API returned (RFC 9457). Where nothing responded, `fetch` throws its own `TypeError`. */
export class CustodiaProblem extends Error {
  override readonly name = 'CustodiaProblem';
  /** `about:blank` where something in between responded, such as a proxy. */
  readonly type: ProblemType;
  readonly status: number;
  readonly title: string;
  /** What is wrong with this request. */
  readonly detail: string | undefined;
  /** Every finding, each with a pointer to its place in the request. */
  readonly errors: readonly FieldError[];
  /** Names the request in the logs of the service: quote it when you ask. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the next attempt, where the response says so. */
  readonly retryAfter: number | undefined;
  readonly response: Response;

  /** @param body the response's, parsed where it was JSON */
  constructor(response: Response, body: unknown) {
    const { type = 'about:blank', title, detail, errors, request_id } = fieldsOf(body);
    const named = title ?? (redirectOf(response) || response.statusText || 'No problem details');
    const findings = Array.isArray(errors) ? errors : [];
    super(messageOf([`${response.status} ${named}`, detail, ...findings.map(lineOf)]));
    this.type = type;
    this.status = response.status;
    this.title = named;
    this.detail = detail;
    this.errors = findings;
    this.requestId = request_id ?? response.headers.get('x-request-id') ?? undefined;
    this.retryAfter = Number(response.headers.get('retry-after')) || undefined;
    this.response = response;
  }

  /** Whether it is of this kind: the last part of its type, such as `not-found`. */
  is(kind: KindOf<KnownProblemType>): boolean {
    return this.type.endsWith(`:${kind}`);
  }
}

type KindOf<T extends string> = T extends `urn:problem-type:custodia:${infer Kind}` ? Kind : never;

/** Parts of a message, and the characters of each: more than any `detail` of the API has. */
const [MOST, LONGEST] = [10, 500];

/** What to do about a redirect, which is not followed. A browser shows neither its status nor its target. */
function redirectOf({ status, type, headers }: Response): string | undefined {
  if (type !== 'opaqueredirect' && !(status >= 300 && status < 400)) return undefined;
  return `A redirect to ${headers.get('location') ?? 'another address'}, which is not followed: is the baseUrl right?`;
}

/** One line: `422 The body is not valid; #/name: is required; #/slug: is taken`. All findings are in `errors`. */
function messageOf(parts: readonly (string | undefined)[]): string {
  const said = parts.filter((part) => part !== undefined).map(inOneLine);
  const more = said.length > MOST ? [`and ${said.length - MOST} more`] : [];
  return [...said.slice(0, MOST), ...more].join('; ');
}

/** Without the full stop, because more may follow. */
const inOneLine = (text: string): string => text.slice(0, LONGEST).replace(/\s+/g, ' ').replace(/\.$/, '');

const lineOf = ({ in: place, pointer, detail }: FieldError): string =>
  `${place === 'body' ? '' : `${place} `}${pointer}: ${detail}`;

const fieldsOf = (body: unknown): Partial<Problem> => (typeof body === 'object' && body !== null ? body : {});
