import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleRequestsOf } from '#openapi';
import { contracts } from '../../functions/all-contracts.ts';
import { collected } from '../../generate/collections/collected.ts';
import { httpFile } from '../../generate/collections/http-file.ts';
import { postmanCollection } from '../../generate/collections/postman.ts';
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
    const deletions = requests.slice(requests.findIndex(({ method }) => method === 'DELETE'));
    expect(deletions.map(({ id }) => id)).toEqual([
      'deleteWebhookEndpoint',
      'deleteTicket',
      'deleteResource',
      'deleteService',
    ]);
  });

  it('fail where no request sets a variable', () => {
    const services = contracts.filter(({ name }) => name === 'services');
    expect(() => exampleRequestsOf(services)).toThrow(/nothing leaves what .*listServices/);
  });
});
