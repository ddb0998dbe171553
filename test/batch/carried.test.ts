import { expect, it } from 'vitest';
import { carriedOperations, isCarried } from '../../functions/batch/carried.ts';
import { domains } from '../../functions/webhooks/domains.ts';

it('a batch can carry upserts and the operations of all events but logs, and each has its route', () => {
  const served = domains
    .flatMap((routes) => [...routes.values()])
    .filter(({ route, contract }) => isCarried(route) && contract.name !== 'logs');
  expect(served.length).toBeGreaterThan(20);
  expect(carriedOperations().toSorted()).toEqual(served.map(({ operationId }) => operationId).toSorted());
});
