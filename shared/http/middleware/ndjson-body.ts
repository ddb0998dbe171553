import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '#contract';
import { Problem } from '#contract/problem';
import type { Parsed } from '#json';
import { bodyTextOf, invalidJson, isNdjson, parsedBody } from '../request/json-text.ts';
import type { WithJson } from './json-body.ts';
import type { Routed } from './routed.ts';

export interface WithLines {
  /** Of a body of NDJSON: the number of the line of each request, counted from 1. Empty lines have none. */
  lineNumbers?: readonly number[];
}

type Event = Routed & WithJson & WithLines;

/**
 * Parses the body of a route that carries requests where it is NDJSON, as if it were JSON with these requests. Pointers of problems then begin with
 * the number of a line: `#/17/key`.
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export const ndjsonBody = (): MiddlewareObj<Event, APIGatewayProxyResult> => ({
  before: ({ event }) => {
    const { route } = event.matched;
    if (route.carries === undefined || !isNdjson(event.request)) return;
    const lines = linesOf(bodyTextOf(route, event.request));
    event.json = parsed(lines, route);
    event.lineNumbers = lines.map(({ number }) => number);
  },
  onError: (request) => {
    const { matched, lineNumbers }: Partial<Event> = request.event;
    const field = matched?.route.carries?.field;
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

function parsed(lines: readonly Line[], route: Route): Parsed {
  for (const { number, text } of lines) {
    try {
      JSON.parse(text);
    } catch {
      throw invalidJson(text, number - 1);
    }
  }
  return parsedBody(route, `{${JSON.stringify(route.carries?.field)}:[${lines.map(({ text }) => text).join()}]}`);
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
