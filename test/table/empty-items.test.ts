import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { setPartition } from '../../shared/table/keys.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';
import { itemsIn } from '../support/audit.ts';
import { clockAt } from '../support/clock.ts';
import { freshTable } from '../support/dynamodb.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

interface Job {
  id: string;
  state: string;
}

const jobs = entity<Job>('JOB', { filters: ['state'] });
const NOW = Date.parse('2026-11-20T12:00:00Z');

it('a reader of a set deletes its empty items once there are some, and counts them', async () => {
  const table = tableAt(await freshTable());
  const org = randomUUID();
  const open = () => openTenant(table, org, clockAt(NOW));
  const openJobs = setPartition(`ORG#${org}#JOB`, 'state', 'open');
  // Neighbouring numbers are in different items.
  const ids = [];
  for (let index = 0; index < 10; index++)
    ids.push((await doIn(open(), (tenant) => tenant.records(jobs).create({ state: 'open' }))).record.id);

  const read = async () => {
    const invocation = new Invocation({});
    const request = { page: 1, page_size: 50, sort: 'created_at', filter: { state: 'open' } } as const;
    const page = await within(invocation, () => open().records(jobs).page(request));
    return [page.total, invocation.counts.get('ListCompactions')];
  };
  const close = (id: string | undefined) =>
    doIn(open(), async (tenant) => {
      const stored = await tenant.records(jobs).get(String(id));
      if (stored !== undefined) tenant.records(jobs).update(stored, { state: 'done' });
    });

  await close(ids.pop());
  expect(await read()).toEqual([9, undefined]);
  expect(await itemsIn(table, openJobs)).toHaveLength(10);
  for (const id of ids) await close(id);
  expect(await read()).toEqual([0, 10]);
  expect(await itemsIn(table, openJobs)).toEqual([]);
  expect(await read()).toEqual([0, undefined]);
});
