import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { isSearchable, Problem, type Route } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { clients } from '../../functions/clients/contract.ts';
import { resources } from '../../functions/resources/contract.ts';
import { tickets } from '../../functions/tickets/contract.ts';
import { users } from '../../functions/users/contract.ts';
import { eventHeadersOf } from '../../functions/webhooks/headers.ts';
import { listQueryOf } from '../../shared/contract/list-query.ts';
import type { FieldError } from '../../shared/contract/problem.ts';
import { validBody, validParams, validQuery } from '../../shared/http/request/validate.ts';

/**
 * Every field and parameter of every contract gets wrong values of many kinds. Their field errors are among these
 * sentences, none of which is zod's own.
 */
const SENTENCES: readonly RegExp[] = [
  /^is required$/,
  /^is required without `entries`$/,
  /^is not known here(; did you mean `\w+`\?)?$/,
  /^is there already$/,
  /^given more than once$/,
  /^must be a domain name, such as acme\.example$/,
  /^must have at most 20 claims, each with a text$/,
  /^must have a digit$/,
  /^must be a string$/,
  /^must be true or false$/,
  /^must be a list$/,
  /^must be a JSON object$/,
  /^must be a whole number from \d+ to \d+$/,
  /^must be a number from \d+ to \d+$/,
  /^must be one of: [-\w]+(, [-\w]+)+$/,
  /^must be (record|null|2\.0)$/,
  /^must be a string of up to 200 characters, or a whole number$/,
  /^must be one or two of these, separated by a comma, with "-" before it for the highest first: \w+(, \w+)+$/,
  /^must be `latest`, or a cursor: the `next` of an earlier response$/,
  /^must be the `next` of an earlier response$/,
  /^must be types of events, separated by commas: `ticket.created,ticket.updated`$/,
  /^must be at most \d+ characters long$/,
  /^must be at least \d+ characters long$/,
  /^must have at most \d+ elements$/,
  /^must have at most \d+ values$/,
  /^must have at most \d+ bytes as JSON$/,
  /^must not be empty$/,
  /^must not be blank$/,
  /^must not contain unpaired surrogates$/,
  /^must not hold numbers beyond the range of a double$/,
  /^must be a UUID$/,
  /^must be an email address$/,
  /^must be an http or https URL$/,
  /^must not contain white space or invisible characters$/,
  /^must be an IPv4 or IPv6 address$/,
  /^must be the name of an IANA time zone, such as Europe\/Lisbon$/,
  /^must be an ISO 8601 time in the years 0001 to 9999 of UTC, such as \S+Z$/,
  /^must be a date, such as \d{4}-\d\d-\d\d(, or an ISO 8601 time in the years 0001 to 9999 of UTC, such as \S+Z)?$/,
  /^must be a lowercase word of letters, digits, "-" and "_", the first a letter$/,
  /^must be letters, digits, ".", "_" and "-", the first a letter or digit(, the last no "-")?$/,
  /^must be lowercase letters, digits and "-", the first a letter or digit$/,
  /^must be digits and the letters a to f$/,
  /^must be 64 hexadecimal digits in lower case$/,
  /^must be a media type such as application\/pdf$/,
  /^must be a file name of at most 255 bytes, without "\/", "\\" and controls$/,
  /^must be a permission code: <area>:<verb>$/,
  /^must have the form <entity>.<verb>$/,
  /^must be \d+ to \d+ printable ASCII characters$/,
];

/** Behind the sentence about a value of a query with a space. */
const PLUS = '; a `+` in a query means a space: write it as `%2B`';

const WRONG_TEXTS = [
  '',
  ' ',
  '\u0000',
  'É/ é!',
  'x',
  '-1',
  '1.5',
  '99999999999',
  'a'.repeat(100_000),
  'a\ud800',
  'é@',
  'http://a/b c',
];
const WRONG: readonly unknown[] = [
  ...[undefined, null, true, -1, 1.5, 1e300, Number.POSITIVE_INFINITY, Number.NaN],
  ...WRONG_TEXTS,
  ...[[], [1], [''], ['a\ud800'], ['x:y', 'x:y'], Array(2_000).fill('a'), {}],
  ...[{ n: Number.POSITIVE_INFINITY }, { text: 'a'.repeat(100_000) }],
];

const findingsOf = (check: () => unknown): readonly FieldError[] => {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof Problem) return error.errors;
    throw error;
  }
};

/** By the place of a field error, what was said of it. */
const said = new Map<string, Set<string>>();
/** What was said twice of one value. */
const repeated = new Set<string>();

function note(place: string, findings: readonly FieldError[]): void {
  const once = new Set<string>();
  for (const { pointer, detail } of findings) {
    const sentences = said.get(`${place} ${pointer}`) ?? new Set();
    said.set(`${place} ${pointer}`, sentences.add(detail));
    const error = `${place} ${pointer}: ${detail}`;
    if (once.has(error)) repeated.add(error);
    once.add(error);
  }
}

function tryOut(id: string, route: Route): void {
  const { params, query, body } = route;
  for (const name of Object.keys(params.shape)) {
    for (const text of WRONG_TEXTS)
      note(
        id,
        findingsOf(() => validParams(route, { params: { [name]: text } })),
      );
  }
  const derived = isSearchable(route) ? listQueryOf(route).filters.keys() : [];
  for (const name of [...Object.keys(query.shape), ...derived, 'unknown']) {
    const sent = [...WRONG_TEXTS.map((text) => [text]), ['a', 'b'], Array(11).fill('a')];
    for (const values of sent)
      note(
        id,
        findingsOf(() => validQuery(route, { query: { [name]: values } })),
      );
  }
  if (body === undefined) return;
  for (const value of WRONG)
    note(
      id,
      findingsOf(() => validBody(body, value)),
    );
  for (const name of [...Object.keys(body.schema.shape), 'unknown']) {
    for (const value of WRONG)
      note(
        id,
        findingsOf(() => validBody(body, { [name]: value })),
      );
  }
}

const all = contracts.flatMap(({ routes }) => Object.entries(routes));

beforeAll(() => {
  for (const [id, route] of all) tryOut(id, route);
  for (const text of WRONG_TEXTS) {
    const headers = new Map([
      ['x-event-id', text],
      ['x-timestamp', text],
    ]);
    note(
      'a delivery',
      findingsOf(() => eventHeadersOf({ headers, repeated: new Set(text === '' ? ['x-event-id'] : []) })),
    );
  }
});

describe('what field errors say', () => {
  it('is one of our sentences, whatever is wrong with whatever field', () => {
    const strange = Array.from(said, ([place, sentences]) => [
      place,
      [...sentences].filter((sentence) => !SENTENCES.some((known) => known.test(sentence.replace(PLUS, '')))),
    ]).filter(([, sentences]) => sentences?.length !== 0);
    expect(strange).toEqual([]);
  });

  it('is said once of a value', () => {
    expect([...repeated]).toEqual([]);
  });

  it('is said by some field: the list has no sentence that nobody says', () => {
    const every = [...said.values()].flatMap((sentences) => [...sentences].map((each) => each.replace(PLUS, '')));
    expect(SENTENCES.filter((known) => !every.some((sentence) => known.test(sentence)))).toEqual([]);
  });

  it('is something about every field of every body', () => {
    const fields = all.flatMap(([id, { body }]) =>
      Object.keys(body?.schema.shape ?? {}).map((name) => `${id} #/${name}`),
    );
    expect(fields.filter((field) => !said.has(field))).toEqual([]);
    expect(fields.length).toBeGreaterThan(100);
  });
});

describe('a sentence', () => {
  const findings = (
    route: { readonly body: { readonly schema: z.ZodObject; readonly readOnlyFields: object; readonly name: string } },
    sent: object,
  ) =>
    Object.fromEntries(
      findingsOf(() => validBody(route.body as Parameters<typeof validBody>[0], sent)).map(({ pointer, detail }) => [
        pointer,
        detail,
      ]),
    );

  it('has the limit of its rule', () => {
    const { createClient } = clients.routes;
    expect(findings(createClient, { name: 'a'.repeat(201), phone: 1e15, plan: 7, metadata: [] })).toEqual({
      '#/name': 'must be at most 200 characters long',
      '#/phone': 'must be a whole number from 0 to 999999999999999',
      '#/plan': 'must be a string',
      '#/metadata': 'must be a JSON object',
    });
    expect(findings(createClient, {})).toEqual({ '#/name': 'is required' });
  });

  it.each([
    ['clientId', 'client_id'],
    ['client', 'client_id'],
    ['Status', 'status'],
    ['stauts', 'status'],
    ['pagesize', 'page_size'],
    ['assignee', 'assigned_to'],
    ['colour', undefined],
    ['z', undefined],
    ['prioritaet', 'priority'],
    ['credentials', undefined],
    [`client_id${'x'.repeat(100_000)}`, undefined],
  ])('names the parameter that %s may mean', (unknown, meant) => {
    const { listTickets } = tickets.routes;
    const [finding] = findingsOf(() => validQuery(listTickets, { query: { [unknown]: ['x'] } }));
    expect(finding?.detail).toBe(meant ? `is not known here; did you mean \`${meant}\`?` : 'is not known here');
  });

  it.each<[route: Route, query: Record<string, string[]>, isHinted: boolean]>([
    [tickets.routes.listTickets, { last_activity_after: ['2026-11-20T10:30:00 01:00'] }, true],
    [tickets.routes.listTickets, { status: ['open', 'a b'] }, true],
    [users.routes.listUsers, { email: ['ines test@acme.example'] }, true],
    [tickets.routes.listTickets, { last_activity_after: ['2026-11-20T25:30:00+01:00'] }, false],
    [tickets.routes.listTickets, { status: ['a b', 'x'], page: ['x'] }, false],
    [tickets.routes.listTickets, { q: ['a '.repeat(60)] }, false],
  ])('says of a value of a query with a space how a plus is written: %#', (route, query, isHinted) => {
    const found = findingsOf(() => validQuery(route, { query })).map(({ detail }) => detail);
    expect(found.at(-1)?.endsWith(PLUS)).toBe(isHinted);
  });

  it('names the field that an unknown one may mean, for few of many', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`timezone${index}`, 'x']));
    const details = Object.values(findings(clients.routes.createClient, { name: 'x', ...many }));
    expect(details.filter((detail) => detail === 'is not known here; did you mean `timezone`?')).toHaveLength(10);
    expect(details).toHaveLength(100);
  });

  it('is the same for the same rule, whether the type is wrong, the size or the form', () => {
    const { updateResource } = resources.routes;
    const number = new Set(
      [true, 'x', -1, 101].map((cpu) => findings(updateResource, { alert_threshold: cpu })['#/alert_threshold']),
    );
    expect([...number]).toEqual(['must be a number from 0 to 100']);
  });
});
