import { Problem, type Route } from '#contract';
import { contracts } from '../../../functions/all-contracts.ts';
import { bearerOf } from '../../../functions/authorizer/bearer.ts';
import { clients } from '../../../functions/clients/contract.ts';
import { eventHeadersOf } from '../../../functions/webhooks/headers.ts';
import { signedBody } from '../../../functions/webhooks/signature.ts';
import { IdempotentRequest } from '../../../shared/http/idempotency.ts';
import { type HttpRequest, jsonOf } from '../../../shared/http/request/http-request.ts';
import { prefersLenient, validBody, validParams, validQuery } from '../../../shared/http/request/validate.ts';
import { checkIfMatch, checkIfNoneMatch, responseOf } from '../../../shared/http/response.ts';
import { folded } from '../../../shared/words.ts';
import { filled, type Make, SHAPES, TEXTS } from './hostile.ts';

/**
 * All checks before the sender is verified: every field of every body, query and path, and every header that is read,
 * with texts far beyond the limits of the gateway.
 */
export interface Check {
  /** What it belongs to: a route, or a header. */
  readonly subject: string;
  readonly name: string;
  readonly values: Readonly<Record<string, Make>>;
  /** Does the work for one of the values. */
  run(value: unknown): void;
}

/** A request that is refused is as good as one that is taken. @throws any error that is not a problem for the caller */
function check<Value>(
  subject: string,
  name: string,
  values: Readonly<Record<string, Make<Value>>>,
  work: (value: Value) => unknown,
): Check {
  const run = (value: unknown) => {
    try {
      work(value as Value);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  };
  return { subject, name, values, run };
}

const FEW_TEXTS = Object.fromEntries(Object.entries(TEXTS).slice(0, 4));
const NAMES: Readonly<Record<string, Make<Record<string, string[]>>>> = {
  unknown: (size) => Object.fromEntries(Array.from({ length: size / 10 }, (_, index) => [`k${index}`, ['1']])),
  repeated: (size) => Object.fromEntries(Array.from({ length: size / 15 }, (_, index) => [`k${index}`, ['1', '2']])),
  one: (size) => ({ page: Array.from({ length: size / 4 }, () => '1') }),
};

const routes = contracts.flatMap((contract) => Object.entries<Route>(contract.routes));

const bodyChecks = routes.flatMap(([id, { body }]) =>
  body === undefined
    ? []
    : [...Object.keys(body.schema.shape), 'unknown'].flatMap((field) => [
        check(id, field, TEXTS, (text) => validBody(body, { [field]: text })),
        check(id, field, SHAPES, (value) => validBody(body, { [field]: value })),
        check(id, `a list in ${field}`, FEW_TEXTS, (text) => validBody(body, { [field]: [text] })),
        check(id, `an object in ${field}`, FEW_TEXTS, (text) => validBody(body, { [field]: { [text]: text } })),
      ]),
);

const parameterChecks = routes.flatMap(([id, route]) => [
  ...Object.keys(route.query.shape).map((name) =>
    check(id, `?${name}`, TEXTS, (text) => validQuery(route, { query: { [name]: [text] } })),
  ),
  ...Object.keys(route.params.shape).map((name) =>
    check(id, `{${name}}`, TEXTS, (text) => validParams(route, { params: { [name]: text } })),
  ),
]);

const [, someBody] = routes.flatMap(([id, { body }]) => (body === undefined ? [] : [[id, body] as const]))[0] ?? [];
const [, someRoute] = routes[0] ?? [];
if (someBody === undefined || someRoute === undefined) throw new Error('There are no routes to check.');

const nameChecks = [
  check('names', 'the name of a field', TEXTS, (text) => validBody(someBody, { [text]: 1 })),
  check('names', 'all fields', SHAPES, (value) => validBody(someBody, value as object)),
  check('names', 'the name of a parameter', TEXTS, (text) => validQuery(someRoute, { query: { [text]: ['1'] } })),
  check('names', 'all parameters', NAMES, (query) => validQuery(someRoute, { query })),
];

const json = new Map([['content-type', 'application/json']]);
const quoted = Object.fromEntries(
  Object.entries(TEXTS).map(([name, make]) => [`${name}, quoted`, (size: number) => JSON.stringify({ a: make(size) })]),
);
const longNumber = { 'one long number': (size: number) => `[${filled('1234567890', size)}]` };
const endless = { 'a list without an end': (size: number) => `[${filled('"a\\n",-1.5,\n', size)}` };
const escapes = { 'escaped quotation marks': (size: number) => `"${filled('\\"', size)}` };
const readBody = (text: string) => jsonOf({ headers: json, bytes: Buffer.from(text) }, 10_000_000);
const SECRET = 'a-secret-of-at-least-thirty-two-characters';
const rawChecks = [
  check('bodies', 'a body', { ...TEXTS, ...quoted, ...longNumber, ...escapes, ...endless }, readBody),
  check('texts', 'folding', TEXTS, folded),
  check('bodies', 'a signed body', { ...TEXTS, ...quoted, ...escapes }, (text) =>
    signedBody(Buffer.from(text), '0'.repeat(64), [SECRET]),
  ),
];

const withHeader = (name: string, value: string): HttpRequest => ({
  requestId: 'test',
  sourceAddress: '127.0.0.1',
  headers: new Map([[name, value]]),
  repeated: new Set(),
  params: {},
  query: {},
  bytes: Buffer.from('{}'),
  baseUrl: 'http://127.0.0.1:3000',
});
const route = (id: string): Route => Object.fromEntries(routes)[id] as Route;
const found = { body: clients.routes.getClient.response.example, version: 1 };
const readers: Readonly<Record<string, (value: string) => unknown>> = {
  authorization: (value) => bearerOf({ headers: { authorization: value }, multiValueHeaders: null }),
  'content-type': (value) => jsonOf(withHeader('content-type', value), 1_000),
  'idempotency-key': (value) =>
    IdempotentRequest.of(
      { contract: clients, route: clients.routes.createClient },
      withHeader('idempotency-key', value),
      { caller: {}, session: {}, tenant: { deduplication: () => undefined } } as never,
      {},
    ),
  'if-match': (value) => checkIfMatch(withHeader('if-match', value), 1),
  'if-none-match of a change': (value) => checkIfNoneMatch(withHeader('if-none-match', value), 1),
  'if-none-match': (value) =>
    responseOf(
      {
        matched: { route: route('getClient'), itemPath: undefined },
        request: withHeader('if-none-match', value),
        input: { query: {} },
        scope: { caller: undefined },
      },
      found,
    ),
  prefer: (value) => prefersLenient(withHeader('prefer', value)),
  'x-event-id': (value) => eventHeadersOf(withHeader('x-event-id', value)),
  'x-timestamp': (value) => eventHeadersOf(withHeader('x-timestamp', value)),
};

const headerChecks = Object.entries(readers).map(([name, read]) => check('headers', name, TEXTS, read));

export const checks: readonly Check[] = [
  ...bodyChecks,
  ...parameterChecks,
  ...nameChecks,
  ...rawChecks,
  ...headerChecks,
];
