import { expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { domains } from '../../functions/webhooks/domains.ts';
import { effectsOf } from '../../functions/webhooks/effects.ts';

it('gives every event of a contract its operation', () => {
  const declared = contracts.flatMap(({ routes }) =>
    Object.entries(routes).flatMap(([id, { event }]) => (event === undefined ? [] : [[event.type, id]])),
  );
  expect(declared.length).toBeGreaterThan(10);
  const effects = Array.from(effectsOf(domains), ([type, { operationId }]) => [type, operationId]);
  expect(effects.toSorted()).toEqual(declared.toSorted());
});
