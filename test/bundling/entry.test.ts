import { expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { entryOf } from '../../infra/bundling/bundle.ts';
import { AUTHORIZER } from '../../infra/rights.ts';

it('an entry makes the warm start that its function has rights for, after its handler is loaded', () => {
  const startOf = (name: string) =>
    /^export const started = warmStart\(\[(.*)\]\);$/m.exec(entryOf(name, contracts))?.[1] ?? '';
  const starts = Map.groupBy([AUTHORIZER, ...contracts.map(({ name }) => name)], startOf);
  expect(starts.get('')?.toSorted()).toEqual(['docs', 'openapi']);
  expect(starts.get('environmentPublicKeys')).toEqual(['well-known']);
  expect(starts.get('readWarmKey,environmentPublicKeys')?.toSorted()).toEqual(['alerts', 'auth', 'authorizer']);
  expect(starts.get('readWarmKey')).toContain('clients');
  expect(starts.size).toBe(4);
  expect(entryOf('clients', contracts)).toMatch(/^export \{ handler \}/);
});
