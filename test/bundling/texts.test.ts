import { describe, expect, it } from 'vitest';
import { withoutDescriptions } from '../../infra/bundling/texts.ts';

describe('the source without descriptions', () => {
  it.each([
    ["name(200).describe('What people call it.')", 'name(200)'],
    ["text(9).describe('It’s `a` (b, \\'c\\').').nullable()", 'text(9).nullable()'],
    ['flag().describe(words(`of (in all)`) + ")")', 'flag()'],
    ["uuid().describe(\n  'first' +\n    'second',\n).nullable()", 'uuid()\n\n\n.nullable()'],
    ["// it's .describe('x')\nuuid().describe('y')", "// it's .describe('x')\nuuid()"],
    ["error('use .describe(me)')", "error('use .describe(me)')"],
    ["describe('a test')", "describe('a test')"],
  ])('of %s is %s', (source, expected) => {
    expect(withoutDescriptions(source)).toBe(expected);
  });
});
