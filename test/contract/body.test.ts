import { expect, it } from 'vitest';
import type { Problem } from '#contract';
import { orgs } from '../../functions/orgs/contract.ts';
import { readBody } from '../support/read-body.ts';

const body = orgs.routes.updateOrg.body;
const read = (text: string) => readBody(body, text);
const many = (number: string) => `[${`${number},`.repeat(100_000)}${number}]`;

it('a body keeps numbers as they were written, in fields of free-form JSON', () => {
  const settings = '{"a":[1.0,-0,1e1,12345678901234567890]}';
  expect(JSON.stringify(read(`{"settings":${settings}}`).settings)).toBe(settings);
});

it('a body keeps them beside many texts of other fields', () => {
  const settings = '{"a":1.0}';
  const { settings: kept } = read(`{"id":"${'x'.repeat(500_000)}","settings":${settings}}`);
  expect(JSON.stringify(kept)).toBe(settings);
});

it('a body is refused rather than changed where a field that it cannot set has too many values', () => {
  expect(() => read(`{"id":${many('-0')},"settings":{"a":1.0}}`)).toThrow(
    expect.objectContaining<Partial<Problem>>({ status: 413, message: expect.stringContaining('may hold up to') }),
  );
});

it('a field given twice counts as given last', () => {
  const { settings } = read(`{"settings":${many('-0')},"settings":{"a":1.0}}`);
  expect(JSON.stringify(settings)).toBe('{"a":1.0}');
});

it('a body with too many values first gets its field errors', () => {
  expect(() => read(`{"other":${many('-0')}}`)).toThrow(
    expect.objectContaining<Partial<Problem>>({
      status: 422,
      errors: [{ in: 'body', pointer: '#/other', detail: 'is not known here' }],
    }),
  );
});
