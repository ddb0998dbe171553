import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { domains } from '../../functions/webhooks/domains.ts';
import { effectsOf } from '../../functions/webhooks/effects.ts';
import { webhookDomains } from '../../generate/webhook-domains.ts';

const FILE = 'functions/webhooks/domains.ts';

it('is as the contracts make it', async () => {
  const committed = await readFile(new URL(`../../${FILE}`, import.meta.url), 'utf8');
  const isCurrent = committed === (await webhookDomains(contracts));
  expect(isCurrent, `${FILE} is not what the contracts say: run \`npm run docs\` and commit it`).toBe(true);
});

it('gives every event of a contract its operation', () => {
  const declared = contracts.flatMap(({ routes }) =>
    Object.entries(routes).flatMap(([id, { event }]) => (event === undefined ? [] : [[event.type, id]])),
  );
  expect(declared.length).toBeGreaterThan(10);
  const effects = Array.from(effectsOf(domains), ([type, { operationId }]) => [type, operationId]);
  expect(effects.toSorted()).toEqual(declared.toSorted());
});
