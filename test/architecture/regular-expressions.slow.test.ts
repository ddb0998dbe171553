import { isSafe } from 'redos-detector';
import { describe, expect, it } from 'vitest';
import { type Expression, expressionsIn, expressionsMadeBy } from './expressions.ts';

/**
 * The sender of a text is not verified yet, so no regular expression may take more than linear work. A checker counts
 * the ways in which an expression can match the same text: work is linear where that number has a bound. Expressions
 * that it finds safe are safe; some that it refuses are linear nevertheless, or never see texts of callers. These are
 * listed here with the reason.
 */

/** Most ways to match the same text, and most steps of the checker until it gives up and refuses. */
const LIMITS = { maxScore: 50, maxSteps: 20_000 };

const DECLARED = 'sees paths of our own contracts';

/** By expression, as it is in the source. */
const ACCEPTED = new Map<string, string>(
  [
    [/\{(\w+)\}/g, DECLARED],
    [/\{\{(\w+)\}\}/g, DECLARED],
    [/("secret"\s*:\s*)"(?:[^"\\]|\\.)*"/g, 'sees what somebody has typed, in the own browser'],
    [/"\$ref":"([^"]+)"/g, 'sees our own OpenAPI document'],
    [/"[^"\\]*(?:\\.[^"\\]*)*"/g, 'sees JSON that was parsed: every quotation mark has its other half'],
    [/\d{16}|[\d.]{17}|\.\d*0(?!\d)|\d[eE]|-0/, 'is linear: it takes 17 digits at once, so the others see short runs'],
    [/<([^<>]*)>; ?rel="next"/, 'is linear: a try that begins at one "<" ends at the next'],
  ].map(([expression, why]) => [String(expression), String(why)]),
);
/** By file, of what is no literal. */
const ACCEPTED_IN: Readonly<Record<string, string>> = {
  'functions/resources/ip-address.ts': 'zod’s, which match at most 15 and 39 characters',
  'functions/integrations/known-secrets.ts':
    'words without a quantifier: at each place as much work as the longest word has letters',
};

/** Sees our own pages, when they are made. */
const MAKES_PAGES = 'functions/docs/site/';
/** Sees our own samples, with what somebody has typed, in the own browser. */
const COLOURS_SAMPLES = 'functions/docs/browser/colours.js';

const found = expressionsIn(['packages', 'functions', 'shared', 'local']);
const isOpen = ({ file }: Expression): boolean => ACCEPTED_IN[file] === undefined;
const servesRequests = (file: string): boolean => !file.startsWith(MAKES_PAGES) && file !== COLOURS_SAMPLES;
const makers = found.makers.filter(servesRequests);
const all = [...found.literals.filter(({ file }) => servesRequests(file)), ...found.ofZod.filter(isOpen)];

/** The checker knows no names of groups, which mean nothing for the work. */
const nameless = ({ source, flags }: RegExp): RegExp => new RegExp(source.replaceAll(/\(\?<\w+>/g, '('), flags);

const refused = (expressions: readonly Expression[]): string[] => {
  const byText = new Map(expressions.map((each) => [String(each.expression), each]));
  return [...byText.values()]
    .filter(({ expression }) => !ACCEPTED.has(String(expression)))
    .filter(({ expression }) => !isSafe(nameless(expression), LIMITS).safe)
    .map(({ file, expression }) => `${file} ${expression}`);
};

/** Makes the expressions that are made by calls, and not when their file is loaded. Of a policy, as our authorizer writes it: one star at the end. */
async function makeOthers(): Promise<void> {
  const { withoutKnown } = await import('../../functions/integrations/known-secrets.ts');
  withoutKnown('a secret', ['acme', 'words']);
  const { isAllowed } = await import('../../local/gateway/authorizer.ts');
  const Statement = [{ Effect: 'Allow' as const, Action: ['*'], Resource: ['arn:*'] }];
  isAllowed({ principalId: 'somebody', policyDocument: { Statement } }, 'arn:1');
}

describe('a regular expression', () => {
  it('takes linear work, or is accepted with a reason', () => {
    expect(found.literals.length).toBeGreaterThan(100);
    expect(found.ofZod.map(({ file }) => file)).toContain('shared/contract/fields.ts');
    expect(refused(all)).toEqual([]);
  });

  it('takes linear work also where it is made while the code runs', async () => {
    const made = await expressionsMadeBy(makers, makeOthers);
    const ofOurs = made.filter(({ file }) => makers.includes(file));
    // A place that makes one by a call of its own needs that call above.
    const missing = makers.filter((file) => countOf(file, ofOurs) < makers.filter((one) => one === file).length);
    expect(missing).toEqual([]);
    expect(refused(ofOurs.filter(isOpen))).toEqual([]);
  });

  it('is accepted only where it still is', () => {
    const texts = new Set(found.literals.map(({ expression }) => String(expression)));
    expect([...ACCEPTED.keys()].filter((text) => !texts.has(text))).toEqual([]);
    const files = new Set([...found.makers, ...found.ofZod.map(({ file }) => file)]);
    expect(Object.keys(ACCEPTED_IN).filter((file) => !files.has(file))).toEqual([]);
  });

  it.each([/^(a+)+$/, /^a*a*$/, /\s+$/, /(?<!x)a+b/, /T.*(Z|[+-]\d\d(:?\d\d)?)$/i])(
    'that takes more is found: %s',
    (expression) => {
      expect(refused([{ file: 'a', expression }])).toHaveLength(1);
    },
  );
});

const countOf = (file: string, expressions: readonly Expression[]): number =>
  expressions.filter((each) => each.file === file).length;
