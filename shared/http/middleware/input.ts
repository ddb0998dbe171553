import { Problem, type Route, takesHeader } from '#contract';
import type { Parsed } from '#json';
import { withinClients } from '../client-scope.ts';
import type { Input } from '../operation.ts';
import { bodyTextOf, invalidJson, isNdjson, parsedBody } from '../request/http-request.ts';
import { oauthParameters } from '../request/oauth-parameters.ts';
import {
  LENIENT,
  prefersLenient,
  type ReadOnlyFields,
  readOnlyFieldsIn,
  validFields,
  validParams,
  validQuery,
} from '../request/validate.ts';
import type { Authenticated } from './caller.ts';
import type { Middleware, Routed } from './routing.ts';

/** What a request says: parsed, and checked against its route. */

export interface WithJson {
  /** The parsed body, where the route has one. Operations of webhooks and of JSON-RPC parse theirs themselves. */
  json?: Parsed | undefined;
  /** The line of each request in a body of NDJSON, counted from 1. Empty lines have none. */
  lineNumbers?: readonly number[];
}

/**
 * Parses the body (`docs/decisions/0005-json-as-it-came.md`). NDJSON of a batch becomes JSON with
 * these requests; pointers of problems then begin with the number of a line: `#/17/key`.
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export const jsonBody = (): Middleware<Routed & WithJson> => ({
  before: ({ event }) => {
    const { route } = event.matched;
    if (route.body === undefined || route.auth === 'signature' || route.rpc !== undefined) return;
    if (route.oauth) {
      event.json = { value: oauthParameters(route, event.request), isExact: false };
      return;
    }
    const text = bodyTextOf(route, event.request);
    if (route.batch !== undefined && isNdjson(event.request)) {
      const lines = linesOf(text);
      event.json = parsedLines(lines, route);
      event.lineNumbers = lines.map(({ number }) => number);
      return;
    }
    try {
      event.json = parsedBody(route, text);
    } catch {
      throw invalidJson(text);
    }
  },
  onError: (request) => {
    const { matched, lineNumbers }: Partial<Routed> & WithJson = request.event;
    const field = matched?.route.batch?.field;
    if (field === undefined || lineNumbers === undefined || !(request.error instanceof Problem)) return;
    request.error = inLines(request.error, field, lineNumbers);
  },
});

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Without empty lines: a file ends with a line feed. */
const linesOf = (text: string): Line[] =>
  text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ number: index + 1, text: line }]));

function parsedLines(lines: readonly Line[], route: Route): Parsed {
  for (const { number, text } of lines) {
    try {
      JSON.parse(text);
    } catch {
      throw invalidJson(text, number - 1);
    }
  }
  return parsedBody(route, `{${JSON.stringify(route.batch?.field)}:[${lines.map(({ text }) => text).join()}]}`);
}

/** The same problem with pointers to lines. */
function inLines(problem: Problem, field: string, lineNumbers: readonly number[]): Problem {
  const errors = problem.errors.map((error) => {
    const [first, index, ...rest] = error.pointer.slice(2).split('/');
    if (error.in !== 'body' || first !== field) return error;
    const path = index === undefined ? [] : [String(lineNumbers[Number(index)]), ...rest];
    return { ...error, pointer: ['#', ...path].join('/') };
  });
  const { type, detail, headers, cause } = problem;
  return new Problem(type, { ...(detail === undefined ? {} : { detail }), errors, headers, cause });
}

export interface Validated {
  input: Input;
  /** The values in the body of fields that it cannot set; none where the caller prefers to have them ignored. */
  readOnlyFields: ReadOnlyFields;
  isLenient: boolean;
}

/**
 * Checks path, query and body against the route. A webhook's body is checked by its operation, after its signature.
 * @throws Problem `invalid-parameter`, `invalid-body` or `content-too-large`
 */
export const validated = (): Middleware<Routed & WithJson & Validated & Partial<Authenticated>> => ({
  before: ({ event }) => {
    const { request, matched, caller } = event;
    const { route } = matched;
    if (caller?.clients) event.json = withinClients(matched, caller.clients, request, event.json);
    const { json } = event;
    const body = route.body && json && { schemas: route.body, json };
    event.input = {
      params: validParams(route, request),
      query: validQuery(route, request),
      body: body && validFields(body.schemas, body.json),
    };
    event.isLenient = takesHeader(route, 'Prefer') && prefersLenient(request);
    event.readOnlyFields = body === undefined || event.isLenient ? {} : readOnlyFieldsIn(body.schemas, body.json.value);
  },
  after: ({ event, response }) => {
    if (!event.isLenient || !response) return;
    const { 'Preference-Applied': others } = response.headers ?? {};
    const applied = others === undefined ? LENIENT : `${others}, ${LENIENT}`;
    response.headers = { ...response.headers, 'Preference-Applied': applied };
  },
});
