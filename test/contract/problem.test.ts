import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_FIELD_ERRORS, PROBLEMS, Problem, pointer } from '#contract';
import { problemExample, problemSchema } from '../../functions/docs/openapi/problems.ts';
import type { ProblemType } from '../../shared/contract/problem.ts';
import { codePoint } from '../support/code-point.ts';

describe('a pointer', () => {
  it.each([
    // RFC 6901 §6, the fragments of its example document.
    [[], '#'],
    [['foo'], '#/foo'],
    [['foo', 0], '#/foo/0'],
    [[''], '#/'],
    [['a/b'], '#/a~1b'],
    [['c%d'], '#/c%25d'],
    [['e^f'], '#/e%5Ef'],
    [['g|h'], '#/g%7Ch'],
    [['i\\j'], '#/i%5Cj'],
    [['k"l'], '#/k%22l'],
    [[' '], '#/%20'],
    [['m~n'], '#/m~0n'],
  ])('to %j is %s', (path, expected) => {
    expect(pointer(path)).toBe(expected);
  });

  it('leads back to its keys, and is short whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: codePoint, maxLength: 300 }), { maxLength: 4 }), (keys) => {
        const made = pointer(keys);
        const back = made
          .split('/')
          .slice(1)
          .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
        expect(back).toEqual(keys.map((key) => key.slice(0, 200).toWellFormed()));
        expect(made.length).toBeLessThanOrEqual(10_000);
      }),
    );
  });
});

describe('problem details', () => {
  it('name a hundred field errors at most: a response to a megabyte of unknown fields must fit', () => {
    const finding = { in: 'body', pointer: '#/a', detail: 'is not known here' } as const;
    const problem = new Problem('invalid-body', { errors: Array.from({ length: 100_000 }, () => finding) });
    expect(problem.detailsFor('r').errors).toHaveLength(MAX_FIELD_ERRORS);
  });

  it.each(Object.keys(PROBLEMS) as ProblemType[])('of %s are as described', (type) => {
    expect(problemSchema.parse(problemExample(type))).toMatchObject({ status: PROBLEMS[type].status });
  });
});
