import { expect, it } from 'vitest';
import { batchableOperations, isBatchable } from '../../functions/batch/batchable.ts';
import { domains } from '../../functions/webhooks/domains.ts';

it('a batch can carry upserts and the operations of all events but logs, and each has its route', () => {
  const served = domains
    .flatMap((routes) => [...routes.values()])
    .filter(({ route, contract }) => isBatchable(route) && contract.name !== 'logs');
  expect(served.length).toBeGreaterThan(20);
  expect(batchableOperations().toSorted()).toEqual(served.map(({ operationId }) => operationId).toSorted());
});
