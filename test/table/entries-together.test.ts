import { expect, it } from 'vitest';
import { entity, words } from '#table';
import { wordsIn } from '../support/audit.ts';
import { FaultyHandler } from '../support/faults.ts';
import { newOrganization, TestList, useTable } from './test-list.ts';

/** Operations of a batch write their entries together, each tenant's by its own session. */

const table = useTable();
const jobs = new TestList(table, entity<{ id: string; name: string }>('JOB', { indexes: [words(['name'])] }));

it('are one call for each tenant', async () => {
  const tenants = [newOrganization(table), newOrganization(table)].map((org) => {
    table.org = org;
    const over = new FaultyHandler();
    return { org, over, partition: jobs.partition, table: table.over(over) };
  });
  const [first] = tenants;
  table.org = first?.org ?? '';
  const shared = table.open().session.share([]);
  await Promise.all(
    tenants.flatMap(({ org, over }) =>
      ['Acme Lisbon', 'Acme Porto'].map(async (name) => {
        table.org = org;
        const tenant = table.open({ over });
        tenant.session.batch = { shared, left: 1 };
        await tenant.records(jobs.entity).create({ fields: { name } });
        await tenant.session.commit();
      }),
    ),
  );
  await shared.end();
  for (const { over, partition } of tenants) {
    expect(over.calls.filter((operation) => operation === 'BatchWriteItem').length).toBeGreaterThan(0);
    expect(await wordsIn(table.table, partition)).toHaveLength(4);
  }
});
