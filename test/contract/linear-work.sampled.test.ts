import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { type Body, maxBodyOf, Problem, type Route } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { validBody } from '../../shared/http/request/validate.ts';
import { byExtent, EXTENT, sampled } from '../support/extent.ts';
import { readBody } from '../support/read-body.ts';
import { filled } from './linear-work/hostile.ts';

/**
 * The sender of a request is not verified yet: checking it must not cost more than a bounded multiple of reading it.
 */

/** A check that is not linear is found with short texts, and does not run for hours on long ones. In characters. */
const SIZES = EXTENT === 'nightly' ? ['500000', '1000000'] : ['16384', '32768'];

it('a request is checked in linear work, whatever is in its body, query, path and headers', async () => {
  const args = [
    join(import.meta.dirname, 'linear-work/run.ts'),
    ...SIZES,
    byExtent({ sample: '12', extended: '24', nightly: 'all' }),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { checks, excesses, seeded } = JSON.parse(stdout);
  expect(excesses).toEqual([]);
  expect(checks).toBeGreaterThan(byExtent({ sample: 100, extended: 200, nightly: 1_000 }));
  // Work that does grow with the square is found.
  expect(seeded).toMatch(/^\d+ steps/);
});

const routes = contracts.flatMap((contract) => Object.entries<Route>(contract.routes));
const bodies = routes.flatMap(([id, { body }]) => (body === undefined ? [] : [[id, body] as const]));

function findingsOf(body: Body, fields: object): string[] {
  try {
    validBody(body, fields);
    return [];
  } catch (error) {
    return (error as Problem).errors.map(({ pointer }) => pointer);
  }
}

it.each(sampled(bodies, 6))('the body of %s is checked no further where a text is too long', (_, body) => {
  for (const field of Object.keys(body.schema.shape)) {
    for (const text of [' '.repeat(300_000), '\ud800!'.repeat(150_000)]) {
      expect(findingsOf(body, { [field]: text }).filter((pointer) => pointer === `#/${field}`)).toHaveLength(1);
    }
  }
});

/** Of bodies that are full of numbers. In characters. */
const FULL = EXTENT === 'nightly' ? 1_000_000 : 100_000;
const listOf = (number: string, length: number): string => `[${filled(`${number},`, length).replace(/[^,]*$/, '')}0]`;
const minusZeros = (length: number): string => listOf('-0', length);
const oneAmongOthers = (length: number): string => listOf('1', length).replace('1', '-0');
/** Numbers that a double would write otherwise. */
const unusual = (length: number): readonly string[] => [
  minusZeros(length),
  oneAmongOthers(length),
  ...['1e1', '1.0', '12345678901234567890'].map((number) => listOf(number, length)),
];

// A delivery is parsed when its signature was right.
const unsigned = routes.flatMap(([id, { body, auth }]) =>
  body === undefined || auth === 'signature' ? [] : [[id, body] as const],
);
it.each(sampled(unsigned, 6))('the body of %s is read in bounded work, whatever numbers are in it', (_, body) => {
  const parse = vi.spyOn(JSON, 'parse');
  const read = (field: string, list: string) => {
    try {
      readBody(body, `{"${field}":{"a":${list}}}`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  };
  // As long as a body may be, and no longer: of a longer one nothing is parsed.
  const length = Math.min(FULL, maxBodyOf({ body }) - 100);
  for (const list of unusual(length)) read('unknown', list);
  for (const field of [...Object.keys(body.schema.shape), ...Object.keys(body.readOnlyFields)]) {
    for (const list of [minusZeros(length), oneAmongOthers(length)]) read(field, list);
  }
  expect(parse.mock.calls.length).toBeGreaterThan(0);
  // Keeping numbers as they were written takes a reviver, which takes thirty times as long as parsing.
  expect(parse.mock.calls.filter(([, reviver]) => reviver !== undefined)).toHaveLength(0);
});
