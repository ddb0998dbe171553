import { describe, expect, it } from 'vitest';
import { Problem, type Route } from '#contract';
import * as parameter from '#contract/parameter';
import { contracts } from '../../functions/all-contracts.ts';
import { isNode, type Node } from '../../functions/docs/openapi/nodes.ts';
import { validBody, validQuery } from '../../shared/http/request/validate.ts';
import { operations, resolved } from './document.ts';

/** What the document promises of a text, by a format, a pattern or in words, is checked by the contract of each field and parameter. */

/** By the format of a text, or a word of its description: what is none. */
const WRONG: readonly (readonly [promise: RegExp, isKeptBy: readonly string[]])[] = [
  [/^date-time$/, ['banana', '46022', '31/12/2026', '2026-02-30', '2026-01-01T25:00:00Z', '0000-06-01T00:00:00Z']],
  [/^date$/, ['banana', '46022', '31/12/2026', '2026-02-30', '2026-01-01T00:00:00Z', '0000-06-01']],
  [/\b(date|day|ISO 8601)\b/i, ['banana', '46022', '31/12/2026', '2026-02-30', '2026-01-01T25:00:00Z', '0000-06-01']],
  [/^uuid$|\bUUID\b/, ['banana', '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3', '{6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d}']],
  [/^idn-email$|\bmail\b/, ['banana', 'a@b@c.example', 'a b@c.example', '@c.example']],
  [/^uri$|\bhttps?\b|\bURL\b/, ['banana', 'javascript:alert(1)', '//acme.example', 'https://acme.example/a b']],
  [/\btime zone\b/, ['banana', '+01:00', 'Mars/Olympus', 'europe/lisbon']],
  [/\bIPv[46]\b/, ['banana', '10.0.0.256', '010.0.0.1', '10.0.0.0/24', '2001:db8', 'fe80::1%eth0']],
  [/\b(language|locale|currency|country|hex|base64|SHA-\d+)\b/, ['banana', 'É!']],
];

interface Promised {
  readonly at: string;
  readonly node: Node;
  /** Whether the contract refuses a value. */
  readonly isRefused: (value: string) => boolean;
}

const routes = new Map<string, Route>(contracts.flatMap((contract) => Object.entries(contract.routes)));

const isText = ({ type }: Node): boolean => [type].flat().includes('string');

/** Whether there is an error at a field, or within it. */
function isRefusedAt(name: string, check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.some(({ pointer }) => `${pointer}/`.startsWith(`#/${name}/`));
  }
}

const fields = operations.flatMap(({ operationId, requestBody }): Promised[] => {
  const body = routes.get(String(operationId))?.body;
  const { schema } = Object(Object(Object(requestBody).content)['application/json']) as { schema?: unknown };
  if (body === undefined) return [];
  const { properties = {} } = resolved(schema) as { properties?: Record<string, Node> };
  return Object.entries(properties).flatMap(([name, property]) => {
    const { items, description } = property;
    const isList = isNode(items);
    const node: Node = isList ? { ...items, description } : property;
    if (!isText(node) || property.readOnly === true) return [];
    const isRefused = (value: string) => isRefusedAt(name, () => validBody(body, { [name]: isList ? [value] : value }));
    return [{ at: `${operationId} ${name}`, node, isRefused }];
  });
});

const parameters = operations.flatMap(({ operationId, parameters: declared = [] }): Promised[] => {
  const route = routes.get(String(operationId));
  return declared.flatMap((each) => {
    const { name, in: place, schema, description } = resolved(each);
    // Words are prefixes of what they find.
    if (route === undefined || place !== 'query' || name === parameter.WORDS || !isNode(schema)) return [];
    const node = { ...(isNode(schema.items) ? schema.items : schema), description };
    const isRefused = (value: string) =>
      isRefusedAt(String(name), () => validQuery(route, { query: { [String(name)]: [value] } }));
    return isText(node) ? [{ at: `${operationId} ?${name}`, node, isRefused }] : [];
  });
});

const all = [...fields, ...parameters];
/** Of a text with a format the description may name others: the day of a time. */
const promisesOf = ({ format, description }: Node): readonly (readonly string[])[] =>
  WRONG.flatMap(([promise, wrong]) => (promise.test(String(format ?? description ?? '')) ? [wrong] : []));

describe('a text that is promised in a format', () => {
  it('is found in fields and parameters', () => {
    expect([fields.length > 150, parameters.length > 100]).toEqual([true, true]);
    for (const [promise] of WRONG.slice(0, -1)) {
      expect(
        all.some(({ node }) => promise.test(String(node.format ?? node.description))),
        String(promise),
      ).toBe(true);
    }
  });

  it('has a check that refuses what is none', () => {
    const taken = all.flatMap(({ at, node, isRefused }) =>
      promisesOf(node)
        .flat()
        .filter((value) => !isRefused(value))
        .map((value) => `${at}: ${value}`),
    );
    expect(taken).toEqual([]);
  });

  it('has a check where it has a pattern or a set of values', () => {
    const checked = all.filter(({ node }) => ['pattern', 'enum', 'const', 'format'].some((key) => key in node));
    expect(checked.length).toBeGreaterThan(150);
    const taken = checked.filter(({ node, isRefused }) => node.format !== 'password' && !isRefused('\u0000'));
    expect(taken.map(({ at }) => at)).toEqual([]);
  });
});
