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

it('gives every event of a contract its operation', async () => {
  const declared = contracts.flatMap(({ routes }) =>
    Object.entries(routes).flatMap(([id, { event }]) => (event === undefined ? [] : [[event.type, id]])),
  );
  expect(declared.length).toBeGreaterThan(10);
  const effectOf = effectsOf(domains);
  const effects = Array.from(domains.keys(), async (type) => [type, (await effectOf(type))?.operationId]);
  expect((await Promise.all(effects)).toSorted()).toEqual(declared.toSorted());
  expect(await effectOf('client.invented')).toBeUndefined();
});

it('loads a domain once, for the first of its events; one that could not be loaded, again', async () => {
  const loaded: string[] = [];
  const counted = new Map(
    Array.from(domains, ([type, load]) => [
      type,
      () => {
        loaded.push(type);
        return loaded.length === 1 ? Promise.reject(new Error('no such file')) : load();
      },
    ]),
  );
  const effectOf = effectsOf(counted);
  await expect(effectOf('client.created')).rejects.toThrow('no such file');
  for (const type of ['client.created', 'client.updated', 'user.created', 'client.created']) {
    expect((await effectOf(type))?.route.event?.type).toBe(type);
  }
  expect(loaded).toEqual(['client.created', 'client.created', 'user.created']);
});
