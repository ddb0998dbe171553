import { expect, it } from 'vitest';
import { lengthen } from '../support/long-lists.ts';
import { newTenant } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** What no index answers is refused in a long list, as `docs/guides/pagination.md` shows it. */

const api = useApi();

it('a long list is refused with all parameters that no index answers, until a filter leaves few records', async () => {
  const acme = await newTenant(api);
  await acme.create('/api/v1/clients', { name: 'Bistro' });
  await lengthen(api, acme, 'CLIENT', 41_249);
  const refused = await acme.ask('GET', '/api/v1/clients?plan=null&sort=name');
  const detail = 'works only where few records are left to read';
  expect(refused.body).toMatchObject({
    type: 'urn:problem-type:custodia:too-many-matches',
    status: 400,
    detail:
      'No index answers plan and sort=name: 41250 records or more would have to be read, and at most 500 read units of them are. Ask with one of the filters status, has_risks, slug, external_id, q, or in the order of creation.',
    errors: ['#/plan', '#/sort'].map((pointer) => ({ in: 'query', pointer, detail })),
  });
  expect((await acme.read('/api/v1/clients?plan=null&sort=name&q=bis')).total).toBe(1);
});
