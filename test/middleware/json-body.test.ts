import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { body, noContent, type Route, route } from '#contract';
import * as field from '#contract/field';
import { jsonBody } from '../../shared/http/middleware/input.ts';
import { type ChainEvent, refusal, routedEvent, through } from '../support/chain.ts';

const taking = { summary: 'x', auth: 'none', response: noContent('Taken.') } as const;
const withFreeForm = route('POST', '/things', { ...taking, body: body('Thing', () => ({ data: field.jsonObject() })) });
const withoutFreeForm = route('POST', '/login', {
  ...taking,
  body: body('Login', () => ({ secret: field.text(100) })),
});
const carrying = route('POST', '/batch', {
  ...{ ...taking, auth: 'bearer', permission: null },
  body: body('Batch', () => ({ operations: field.list(z.strictObject({ body: field.jsonObject() }), 2) })),
  batch: {
    field: 'operations',
    lines: { sent: { description: '', example: '' }, returned: { description: '', example: '' } },
    partly: { status: 207, description: '' },
  },
});

type Headers = ChainEvent['multiValueHeaders'];
const JSON_TYPE: Headers = { 'Content-Type': ['application/json'] };

const sent = (body: string | Buffer | null, multiValueHeaders = JSON_TYPE, to: Route = withFreeForm): ChainEvent =>
  routedEvent(to, {
    multiValueHeaders,
    body: Buffer.isBuffer(body) ? body.toString('base64') : body,
    isBase64Encoded: Buffer.isBuffer(body),
  });

async function read(...request: Parameters<typeof sent>) {
  const event = sent(...request);
  await through([jsonBody()], event);
  return event.json;
}

/** As it would be written again. */
const again = async (text: string): Promise<string | undefined> => JSON.stringify((await read(text))?.value);

const notJson = (line: number, column: number, mistake: string): string =>
  `The body is not valid JSON: line ${line}, column ${column} has ${mistake}.`;

describe('a body', () => {
  it('is parsed, and stays in the event as it came', async () => {
    const event = sent('{"data":{"a":[1,"é",null]}}');
    await through([jsonBody()], event);
    expect(event.json).toEqual({ value: { data: { a: [1, 'é', null] } }, isExact: true });
    expect(event.body).toBe('{"data":{"a":[1,"é",null]}}');
  });

  it.each(['[]', '"text"', 'null', 'true', '7', ' {} ', '\ufeff{}'])('may be any JSON: %s', async (text) => {
    expect((await read(text))?.value).toEqual(JSON.parse(text.replace('\ufeff', '')));
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('may be declared as %s', async (type) => {
    expect((await read('{}', { 'content-type': [type] }))?.value).toEqual({});
  });

  it('keeps numbers as they were written', async () => {
    const numbers = '{"data":{"a":[1.0,-0,1e1,1E400,12345678901234567890,0.10]}}';
    expect(await again(numbers)).toBe(numbers);
  });

  it('keeps them not where no field could hold them, and says so', async () => {
    expect(await read('{"secret":1.0}', JSON_TYPE, withoutFreeForm)).toEqual({ value: { secret: 1 }, isExact: false });
    expect(await read('{"secret":1.5}', JSON_TYPE, withoutFreeForm)).toEqual({ value: { secret: 1.5 }, isExact: true });
  });

  it('keeps them in bodies that carry others, of which each may hold as many as a field', async () => {
    const text = `{"operations":[{"body":{"a":[${Array(33_000).fill('1.0')}]}}]}`;
    expect(await read(text)).toMatchObject({ isExact: false });
    const carried = await read(text, JSON_TYPE, carrying);
    expect([carried?.isExact, JSON.stringify(carried?.value)]).toEqual([true, text]);
  });

  it.each([
    ['256 levels', withFreeForm, 256],
    ['512 where it carries others, whose routes refuse more than 256', carrying, 512],
  ])('may have %s', async (_, to, levels) => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(await read(nested(levels), JSON_TYPE, to)).toBeDefined();
    expect((await refusal([jsonBody()], sent(nested(levels + 1), JSON_TYPE, to))).detail).toBe(
      `The body may be nested up to ${levels} levels deep.`,
    );
  });

  it('lets all JSON of a free-form field come back to the letter', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const sent = `{"data":{"a":${text}}}`;
        expect(await again(sent)).toBe(sent);
      }),
    );
  });

  it('keeps names that mean something to JavaScript, however they are spelled', async () => {
    const names = '{"data":{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}},"prototype":2}}';
    expect(await again(names)).toBe(names);
    expect(await again(names.replace('"__', '"\\u005f_').replace('"constr', '"con\\u0073tr'))).toBe(names);
    expect({}).not.toHaveProperty('x');
    expect({}).not.toHaveProperty('y');
  });
});

/** JSON texts as `JSON.stringify` would write them, but for numbers. */
const { texts } = fc.letrec<{ texts: string; names: string }>((tie) => ({
  names: fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', ''),
    // Names like indexes would be put first.
    fc.string({ unit: 'grapheme' }).filter((name) => !/^\d+$/.test(name)),
  ),
  texts: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('null', 'true', 'false', '0', '-1', '0.5', '1.0', '-0', '1e3', '2E-400', '12345678901234567890'),
    fc.string({ unit: 'grapheme' }).map((value) => JSON.stringify(value)),
    fc.array(tie('texts'), { maxLength: 4 }).map((values) => `[${values}]`),
    fc
      .uniqueArray(fc.tuple(tie('names'), tie('texts')), { maxLength: 4, selector: ([name]) => name })
      .map((fields) => `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`),
  ),
}));

describe('a request is refused', () => {
  it.each<[name: string, headers: Headers]>([
    ['without a media type', {}],
    ['with another one', { 'Content-Type': ['text/plain'] }],
    ['with one that is only like JSON', { 'Content-Type': ['application/vnd.api+json'] }],
    ['with another character set', { 'Content-Type': ['application/json; charset=latin1'] }],
    ['with two', { 'Content-Type': ['application/json', 'text/plain'] }],
  ])('%s', async (_, headers) => {
    const problem = await refusal([jsonBody()], sent('{}', headers));
    expect([problem.type, problem.headers]).toEqual(['unsupported-media-type', { Accept: 'application/json' }]);
    expect(problem.detail).toMatch(/^Content-Type must be application\/json, in UTF-8\. /);
  });

  it.each<[name: string, headers: Headers, body: string | Buffer]>([
    ['that is coded in a way the gateway does not know', { 'content-encoding': ['br'] }, '{}'],
    ['that is coded twice', { 'content-encoding': ['gzip', 'gzip'] }, '{}'],
    ['that is still compressed', { 'Content-Encoding': ['gzip'] }, gzipSync('{}')],
    ['that is compressed and does not say so', {}, gzipSync('{}')],
  ])('with a body %s', async (_, headers, body) => {
    const problem = await refusal([jsonBody()], sent(body, { ...JSON_TYPE, ...headers }));
    expect([problem.type, problem.headers, problem.detail]).toEqual([
      'unsupported-media-type',
      { 'Accept-Encoding': 'gzip, deflate, identity' },
      expect.stringContaining('compressed'),
    ]);
  });

  it.each(['gzip', 'Deflate', 'identity', ''])(
    'not for the coding that the gateway has taken off: "%s"',
    async (coding) => {
      expect((await read('{}', { ...JSON_TYPE, 'content-encoding': [coding] }))?.value).toEqual({});
    },
  );

  it.each<[name: string, body: string | Buffer | null, detail: string]>([
    ['without a body', null, 'A JSON body is required.'],
    ['with an empty one', '', 'A JSON body is required.'],
    ['with nothing but white space', ' \n', 'A JSON body is required.'],
    ['with bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'The body is not valid UTF-8.'],
    ['with half a character', Buffer.from('"é"').subarray(0, 2), 'The body is not valid UTF-8.'],
    ['with half an object', '{"data":', notJson(1, 9, 'the end of the text in place of a value')],
    ['with a comma too many', '\ufeff{"data":\n{},}', notJson(2, 4, '`}` in place of a name in double quotes')],
    [
      'with a mistake behind an unusual number',
      '{"data":1.0',
      notJson(1, 12, 'the end of the text in place of `,` or `}`'),
    ],
    ['with a mistake behind an odd name', '{"__proto__":NaN', notJson(1, 14, '`N` in place of a value')],
    ['nested too deep', '['.repeat(257) + ']'.repeat(257), 'The body may be nested up to 256 levels deep.'],
    ['nested without end', '{"a":'.repeat(100_000), 'The body may be nested up to 256 levels deep.'],
  ])('%s', async (_, body, detail) => {
    const problem = await refusal([jsonBody()], sent(body));
    expect([problem.type, problem.detail]).toEqual(['malformed-request', detail]);
  });

  it('and the next one is read as ever', async () => {
    await refusal([jsonBody()], sent(Buffer.from('"é"').subarray(0, 2)));
    expect(await again('{"data":{"a":"é"}}')).toBe('{"data":{"a":"é"}}');
  });

  it('but not for what looks deep and is none', async () => {
    const text = JSON.stringify({ data: { a: '['.repeat(300), b: `"${'['.repeat(300)}`, c: `\\${'{'.repeat(300)}` } });
    expect(await again(text)).toBe(text);
    expect(await again('['.repeat(256) + ']'.repeat(256))).toBe('['.repeat(256) + ']'.repeat(256));
  });
});
