import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '#json';
import { sign } from '../../functions/webhooks/signature.ts';
import { deliver } from '../support/deliver.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';

/**
 * What is stored of a delivery derives from the text that its sender signed, whatever was made of that text on its way.
 */

const api = useApi();
const org = prepared(() => api.orgToken());

let turn = 0;
/** A type for one event, to find it by. */
const freshType = (): string => `told.n${turn++}`;

/** Delivers a body under the signature of another text; answers the event as it is stored then. */
async function storedOf(type: string, signed: string, sent: string) {
  const { status, body } = await deliver(api, org, sent, { signature: sign(signed, org.secret) });
  expect([status, status === 200 ? undefined : body]).toEqual([200, undefined]);
  const list = await api.request<{ data: { id: string }[] }>('GET', `/api/v1/webhook-events?event_type=${type}`, {
    token: org.token,
  });
  expect(list.body.data).toHaveLength(1);
  // Read as text: the test's own parser would round the numbers.
  const response = await api.fetch(`${api.url}/api/v1/webhook-events/${list.body.data[0]?.id}`, {
    headers: { authorization: `Bearer ${org.token}` },
  });
  return parseJson(await response.text()) as { readonly data: unknown; readonly body_sha256: string };
}

async function expectStoredAsSigned(type: string, signed: string, sent: string): Promise<void> {
  const stored = await storedOf(type, signed, sent);
  const value = parseJson(signed) as { readonly data: unknown };
  expect(JSON.stringify(stored.data)).toBe(JSON.stringify(value.data));
  expect(stored.body_sha256).toBe(createHash('sha256').update(JSON.stringify(value)).digest('hex'));
}

describe('a delivery under the signature of another text of the same value', () => {
  const written = (type: string, number: string) => `{"event_type":"${type}","data":{"iban_ref":${number}}}`;

  it.each([
    ['another number', '9007199254740993000', '9007199254740993456'],
    ['minus zero', '0', '-0'],
    ['a number of 60 KB', '9007199254740993000', `9007199254740993000.${'0'.repeat(60_000)}`],
    ['an exponent', '100', '1E2'],
  ])('is stored as it was signed: %s', async (_, signed, sent) => {
    const type = freshType();
    await expectStoredAsSigned(type, written(type, signed), written(type, sent));
  });

  it('is the same event, in whatever form it comes', async () => {
    const type = freshType();
    const eventId = randomUUID();
    const signature = sign(written(type, '9007199254740993000'), org.secret);
    const responses = [];
    for (const number of ['9007199254740993000', '9007199254740993456', '9007199254740993000.0']) {
      responses.push(await deliver(api, org, written(type, number), { eventId, signature }));
    }
    expect(responses.map(({ status, body }) => [status, String(body.type).split(':').at(-1)])).toEqual([
      [200, 'undefined'],
      [409, 'event-already-processed'],
      [409, 'event-already-processed'],
    ]);
  });
});

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]|true|false|null/g;

/** What may become of a token on its way without changing what `JSON.stringify(JSON.parse(…))` makes of it. */
const MUTATIONS: readonly ((token: string, next: string | undefined) => string)[] = [
  (token) => token,
  (token) => ` ${token}\n`,
  (token) => (/^-?\d+$/.test(token) ? `${token}.${'0'.repeat(300)}` : token),
  (token) => (token === '0' ? '-0' : /^-?\d+$/.test(token) ? `${token}e0` : token),
  (token) => otherSpelling(token) ?? token,
  (token) => token.replace(/(?<=^"[^\\]*)[a-z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  // The first of two values under one name is not read.
  (token, next) => (token === '{' && next?.startsWith('"') ? `{${next}:{"a":[1]},` : token),
];

/** Another number for which there is only the same double. */
function otherSpelling(token: string): string | undefined {
  const other = `${token.slice(0, -1)}${token.endsWith('7') ? '1' : '7'}`;
  return /^-?\d{17,}$/.test(token) && Number(other) === Number(token) ? other : undefined;
}

function mutated(text: string, choices: readonly number[]): string {
  const tokens = text.match(TOKEN) ?? [];
  return tokens
    .map((token, index) => {
      const mutate = MUTATIONS[(choices[index % choices.length] ?? 0) % MUTATIONS.length];
      return mutate?.(token, tokens[index + 1]) ?? token;
    })
    .join('');
}

const number = fc.oneof(
  fc.constantFrom(0, 9007199254740993000, -9007199254740993000, 1e20, 12345678901234567000, 0.1, 1e300, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);
const data = fc.dictionary(
  fc.constantFrom('amount', 'iban_ref', 'note', 'lines', '1', '0'),
  fc.oneof(
    number,
    fc.string({ unit: 'grapheme' }),
    fc.array(number, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('x', 'y'), number),
  ),
  { noNullPrototype: true },
);

it('for every accepted delivery, what is stored derives from a text that was signed', async () => {
  const seen = { changed: 0 };
  await fc.assert(
    fc.asyncProperty(
      data,
      fc.array(fc.nat({ max: MUTATIONS.length - 1 }), { minLength: 1, maxLength: 40 }),
      fc.boolean(),
      async (value, choices, isMarked) => {
        const type = freshType();
        const signed = JSON.stringify({ event_type: type, data: value });
        const sent = `${isMarked ? '\ufeff' : ''}${mutated(signed, choices)}`;
        expect(JSON.stringify(JSON.parse(sent.replace('\ufeff', '')))).toBe(signed);
        if (sent !== signed) seen.changed++;
        await expectStoredAsSigned(type, signed, sent);
      },
    ),
    { numRuns: 60 },
  );
  expect(seen.changed).toBeGreaterThan(30);
});
