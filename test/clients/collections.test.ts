import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { referencesIn } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { exampleRequestsOf } from '../../functions/docs/openapi/example-requests.ts';
import { collected, httpFile, postmanCollection } from '../../generate/collections.ts';
import { operations } from '../support/scenario.ts';

/** The collections of requests. `collections.slow.test.ts` runs them. */

const requests = exampleRequestsOf(contracts);

it.each([
  ['custodia.http', httpFile],
  ['custodia.postman_collection.json', postmanCollection],
])('%s is what the contracts say', (file, make) => {
  const text = readFileSync(join(import.meta.dirname, '../../clients', file), 'utf8');
  expect(make(collected(contracts)) === text, `run \`npm run docs\` and commit clients/${file}`).toBe(true);
});

describe('the example requests', () => {
  it('are of every operation, each under an id of its own', () => {
    const ofOperations = requests.flatMap(({ id, operationId }) => (id === operationId ? [id] : []));
    expect(ofOperations.toSorted()).toEqual(operations.map(([id]) => id).toSorted());
    expect(new Set(requests.map(({ id }) => id)).size).toBe(requests.length);
  });

  it('delete at the end, children before their parents', () => {
    const routes = new Map(operations);
    const declared = [...routes].flatMap(([id, { method }]) => (method === 'DELETE' ? [id] : []));
    const deletions = requests.slice(-declared.length).map(({ operationId }) => operationId);
    expect(deletions.toSorted()).toEqual(declared.toSorted());
    const records = deletions.map((id) => [...referencesIn(routes.get(id)?.params as z.ZodObject).values()].at(-1));
    for (const [index, record] of records.entries()) {
      const create = [...routes.values()].find(({ body }) => body?.name === `${record}Create`);
      const parents = [...referencesIn(create?.body?.schema as z.ZodObject).values()];
      expect(records.slice(0, index).filter((deleted) => parents.some((parent) => parent === deleted))).toEqual([]);
    }
    // A ticket refers to services and resources.
    expect(records.indexOf('Ticket')).toBeLessThan(records.indexOf('Service'));
  });

  it('fail where no request sets a variable', () => {
    const services = contracts.filter(({ name }) => name === 'services');
    expect(() => exampleRequestsOf(services)).toThrow(/nothing leaves what .*listServices/);
  });
});
