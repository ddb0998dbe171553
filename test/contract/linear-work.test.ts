import { describe, expect, it, vi } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { bearerOf } from '../../functions/authorizer/bearer.ts';
import { clients } from '../../functions/clients/contract.ts';
import { eventHeadersOf } from '../../functions/webhooks/headers.ts';
import { Problem } from '../../shared/contract/problem.ts';
import type { Body } from '../../shared/contract/record.ts';
import type { Route } from '../../shared/contract/route.ts';
import { IdempotentRequest } from '../../shared/http/idempotency.ts';
import { jsonOf } from '../../shared/http/json-text.ts';
import { checkIfMatch, checkIfNoneMatch } from '../../shared/http/preconditions.ts';
import { prefersLenient } from '../../shared/http/preferences.ts';
import type { HttpRequest } from '../../shared/http/request.ts';
import { responseOf } from '../../shared/http/response/answer.ts';
import { validBody, validParams, validQuery } from '../../shared/http/validate.ts';
import { leastCpuOf } from '../support/cpu.ts';
import { readBody } from '../support/read-body.ts';
import { IS_WHOLE } from '../support/sweep.ts';

/**
 * Whoever sends a request has shown nothing yet: checking it must not cost more than a bounded multiple of reading it. Every field of
 * every body, query and path, and every header that is read, gets texts that some pattern or search might take long over, far beyond
 * the limits of the gateway.
 */

/** What checking may cost, in times of what parsing the same bytes costs. Work that grows with the square takes thousands. */
const TIMES = 50;
/** Parsing a short text takes no time that could be measured. In milliseconds. */
const FLOOR = 1;
/** One quick try of these is enough. */
const TRIES = 25;

/** A check that is not linear is found out with the short one, and does not run for hours on the long one. In characters. */
const SIZES = IS_WHOLE ? [32_768, 1_000_000] : [32_768];

const filled = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);

const HOSTILE: Readonly<Record<string, (size: number) => string>> = {
  'one letter': (size) => filled('a', size),
  'one letter and another': (size) => `${filled('a', size - 1)}b`,
  'two letters in turn': (size) => `${filled('ab', size - 1)}!`,
  'a half twice': (size) => `${filled('abcdefghij', size / 2)}x${filled('abcdefghij', size / 2)}`,
  digits: (size) => `${filled('1234567890', size - 1)}x`,
  spaces: (size) => `x${filled(' ', size - 2)}x`,
  tabs: (size) => `${filled('\t \n', size - 1)}x`,
  dots: (size) => filled('.', size),
  commas: (size) => filled(',', size),
  slashes: (size) => `http:${filled('/', size)}`,
  'words and dots': (size) => `${filled('a.', size - 1)}!`,
  'one word and dots': (size) => `${filled('a', size / 2)}.${filled('a', size / 2)}!`,
  dashes: (size) => `${filled('a-', size - 1)}!`,
  brackets: (size) => filled('[', size),
  quotation: (size) => filled('"', size),
  'combining marks': (size) => filled('e\u0301\u0323', size),
  'pairs of surrogates': (size) => filled('😀', size),
  'half pairs': (size) => filled('\ud800', size),
  'nearly an email': (size) => `${filled('a.', size / 2)}a@${filled('a.', size / 2)}`,
  'an email without an end': (size) => `a@${filled('a-', size)}`,
  'nearly a URL': (size) => `https://${filled('a.', size / 2)}/${filled('%2e/../', size / 2)}`,
  'nearly a UUID': (size) => filled('00000000-0000-4000-8000-00000000000', size),
  'nearly a time': (size) => `2026-11-20T09:30:00.${filled('0', size)}Z+`,
  'nearly an entity tag': (size) => `"1.a${filled('a', size)}", `,
  'entity tags': (size) => filled('"1.a",', size),
  'nearly a token': (size) => `Bearer ${filled('a.', size)}`,
  'nearly a permission': (size) => `a${filled('-a', size)}:`,
  'nearly an address': (size) => `${filled('0:', size)}::1`,
  'nearly a time zone': (size) => filled('Europe/', size),
};

/** What is no text, in a body. */
const SHAPES: Readonly<Record<string, (size: number) => unknown>> = {
  'many numbers': (size) => Array.from({ length: size / 2 }, () => 1),
  'many texts': (size) => Array.from({ length: size / 6 }, () => 'abc'),
  'many texts, each another': (size) => Array.from({ length: size / 9 }, (_, index) => String(index).padStart(6, 'a')),
  'many lists': (size) => Array.from({ length: size / 3 }, () => []),
  'many objects': (size) => Array.from({ length: size / 8 }, () => ({ a: 1 })),
  'many fields': (size) => Object.fromEntries(Array.from({ length: size / 10 }, (_, index) => [`k${index}`, 1])),
  'deep lists': (size) => filledWith(size, (inner) => [inner]),
  'deep objects': (size) => filledWith(size, (inner) => ({ a: inner })),
};

/** As deep as a body may be, over and over. */
function filledWith(size: number, around: (inner: unknown) => unknown): unknown {
  let deep: unknown = 1;
  for (let level = 0; level < 250; level++) deep = around(deep);
  const { length } = JSON.stringify(deep);
  return Array.from({ length: Math.ceil(size / length) }, () => deep);
}

interface Sample {
  readonly name: string;
  readonly value: unknown;
  /** What checking it may cost, in milliseconds of CPU time. */
  readonly allowed: number;
}

const samplesOf = (shapes: Readonly<Record<string, (size: number) => unknown>>): readonly Sample[] =>
  SIZES.flatMap((size) =>
    Object.entries(shapes).map(([name, make]) => {
      const value = make(size);
      const json = JSON.stringify(value);
      const allowed =
        TIMES *
        Math.max(
          FLOOR,
          leastCpuOf(() => JSON.parse(json), 3),
        );
      return { name: `${name}, ${size} characters`, value, allowed };
    }),
  );

/** What of these takes longer than it may. What is refused is as good as what is taken. */
const tooSlow = (samples: readonly Sample[], check: (value: never) => unknown): string[] => {
  for (const { name, value, allowed } of samples) {
    const work = () => {
      try {
        check(value as never);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    };
    // Measured again and again before it is a failure: a busy machine takes longer. The long texts then are not even tried.
    const isFast = () => leastCpuOf(work, 1) <= allowed;
    if (!Array.from({ length: TRIES }).some(isFast)) return [name];
  }
  return [];
};

const routes = contracts.flatMap((contract) => Object.entries<Route>(contract.routes));
const TEXT_SAMPLES = samplesOf(HOSTILE);
const OTHER_SAMPLES = samplesOf(SHAPES);
const FEW_TEXTS = samplesOf(Object.fromEntries(Object.entries(HOSTILE).slice(0, 4)));

const bodies = routes.flatMap(([id, { body }]) => (body === undefined ? [] : [[id, body] as const]));
describe.each(bodies)('the body of %s', (_, body) => {
  it.each([...Object.keys(body.schema.shape), 'unknown'])('is checked in linear time, whatever is in `%s`', (field) => {
    expect(tooSlow(TEXT_SAMPLES, (text: string) => validBody(body, { [field]: text }))).toEqual([]);
    expect(tooSlow(OTHER_SAMPLES, (value: unknown) => validBody(body, { [field]: value }))).toEqual([]);
    expect(tooSlow(FEW_TEXTS, (text: string) => validBody(body, { [field]: [text] }))).toEqual([]);
    expect(tooSlow(FEW_TEXTS, (text: string) => validBody(body, { [field]: { [text]: text } }))).toEqual([]);
  });
});

function findingsOf(body: Body, fields: object): string[] {
  try {
    validBody(body, fields);
    return [];
  } catch (error) {
    return (error as Problem).errors.map(({ pointer }) => pointer);
  }
}

it.each(bodies)('the body of %s is checked no further where a text is too long', (_, body) => {
  for (const field of Object.keys(body.schema.shape)) {
    for (const text of [' '.repeat(300_000), '\ud800!'.repeat(150_000)]) {
      expect(findingsOf(body, { [field]: text }).filter((pointer) => pointer === `#/${field}`)).toHaveLength(1);
    }
  }
});

it('a body is refused in linear time, whatever its fields are called and how many there are', () => {
  const [, body] = bodies[0] as (typeof bodies)[number];
  expect(tooSlow(TEXT_SAMPLES, (text: string) => validBody(body, { [text]: 1 }))).toEqual([]);
  expect(tooSlow(OTHER_SAMPLES, (value: object) => validBody(body, value))).toEqual([]);
});

describe.each(routes)('the parameters of %s', (_, route) => {
  it('are checked in linear time in the query', () => {
    for (const name of Object.keys(route.query.shape)) {
      expect(tooSlow(TEXT_SAMPLES, (text: string) => validQuery(route, { query: { [name]: [text] } }))).toEqual([]);
    }
  });

  it('are checked in linear time in the path', () => {
    for (const name of Object.keys(route.params.shape)) {
      expect(tooSlow(TEXT_SAMPLES, (text: string) => validParams(route, { params: { [name]: text } }))).toEqual([]);
    }
  });
});

it('a query is refused in linear time, whatever its parameters are called and how many there are', () => {
  const [, route] = routes[0] as (typeof routes)[number];
  expect(tooSlow(TEXT_SAMPLES, (text: string) => validQuery(route, { query: { [text]: ['1'] } }))).toEqual([]);
  const many = samplesOf({
    unknown: (size) => Object.fromEntries(Array.from({ length: size / 10 }, (_, index) => [`k${index}`, ['1']])),
    repeated: (size) => Object.fromEntries(Array.from({ length: size / 15 }, (_, index) => [`k${index}`, ['1', '2']])),
    one: (size) => ({ page: Array.from({ length: size / 4 }, () => '1') }),
  });
  expect(tooSlow(many, (query: HttpRequest['query']) => validQuery(route, { query }))).toEqual([]);
});

it('a body is read in linear time, whatever is in it', () => {
  const headers = new Map([['content-type', 'application/json']]);
  const bodiesOf = ([name, make]: [string, (size: number) => string]) => [
    [name, make],
    [`${name} in quotation marks`, (size: number) => JSON.stringify({ a: make(size) })],
  ];
  const raw = samplesOf({
    ...Object.fromEntries(Object.entries(HOSTILE).flatMap(bodiesOf)),
    'one long number': (size) => `[${filled('1234567890', size)}]`,
  });
  expect(tooSlow(raw, (text: string) => jsonOf({ headers, bytes: Buffer.from(text) }, 10_000_000))).toEqual([]);
});

/** Of bodies that are full of numbers. In characters. */
const FULL = IS_WHOLE ? 1_000_000 : 100_000;
const listOf = (number: string): string => `[${filled(`${number},`, FULL).replace(/[^,]*$/, '')}0]`;

const MINUS_ZEROS = listOf('-0');
const ONE_AMONG_OTHERS = listOf('1').replace('1', '-0');
/** Numbers that a double would write otherwise. */
const UNUSUAL = [MINUS_ZEROS, ONE_AMONG_OTHERS, ...['1e1', '1.0', '12345678901234567890'].map(listOf)];

// A delivery is parsed when its signature was right.
const unsigned = routes.flatMap(([id, { body, auth }]) =>
  body === undefined || auth === 'signature' ? [] : [[id, body] as const],
);
it.each(unsigned)('the body of %s is read in bounded work, whatever numbers are in it', (_, body) => {
  const parse = vi.spyOn(JSON, 'parse');
  const read = (field: string, list: string) => {
    try {
      readBody(body, `{"${field}":{"a":${list}}}`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  };
  for (const list of UNUSUAL) read('unknown', list);
  for (const field of [...Object.keys(body.schema.shape), ...Object.keys(body.fixed)]) {
    for (const list of [MINUS_ZEROS, ONE_AMONG_OTHERS]) read(field, list);
  }
  expect(parse.mock.calls.length).toBeGreaterThan(0);
  // Keeping numbers as they were written takes a reviver, which takes thirty times as long as parsing.
  expect(parse.mock.calls.filter(([, reviver]) => reviver !== undefined)).toHaveLength(0);
});

describe('a header is read in linear time', () => {
  const withHeader = (name: string, value: string): HttpRequest => ({
    requestId: 'test',
    sourceAddress: '127.0.0.1',
    headers: new Map([[name, value]]),
    repeated: new Set(),
    params: {},
    query: {},
    bytes: Buffer.from('{}'),
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

  it.each(Object.entries(readers))('%s', (_, read) => {
    expect(tooSlow(TEXT_SAMPLES, read)).toEqual([]);
  });
});
