import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { uniqueKey } from '#table';
import { EXTENT } from '../support/extent.ts';
import { useApi } from '../support/use-api.ts';
import { DamagedTenant, differencesOf, named } from './damaged-tenant.ts';

/** Verifying while the API is in use: the nightly tests do it, for it may take minutes until nothing changes. */

describe.skipIf(EXTENT !== 'nightly')('while the API is in use', () => {
  const TIMES = 6;
  const api = useApi();
  let made: DamagedTenant;
  beforeAll(async () => {
    made = await DamagedTenant.make(api);
  });

  /** Writes until `isOver`: every kind of change that moves sets and counters of the two clients. */
  async function write(seed: number, isOver: () => boolean): Promise<void> {
    const { create, ask } = made.calls;
    for (let turn = seed; !isOver(); turn++) {
      const [client_id, service_id] = [made.id('client', turn % 2), made.id('service', turn % 2)];
      const { id } = await create('/api/v1/resources', { client_id, service_id, name: 'busy', type: 'server' });
      await ask('PATCH', `/api/v1/resources/${id}`, { status: 'stopped', health_status: 'degraded' });
      const health_status = turn % 3 === 0 ? 'healthy' : 'degraded';
      await ask('PATCH', `/api/v1/services/${service_id}`, { health_status });
      await made.say(made.id('ticket', turn % 2));
      await ask('PATCH', `/api/v1/clients/${client_id}`, { slug: `slug-${randomUUID()}` });
      if (turn % 2 === 0) await ask('PATCH', `/api/v1/resources/${id}`, { service_id: null });
      await ask('DELETE', `/api/v1/resources/${id}`);
    }
  }

  async function besideWriters(work: () => Promise<void>): Promise<void> {
    let isOver = false;
    const writing = Promise.all([0, 1, 2, 3].map((seed) => write(seed, () => isOver)));
    await work().finally(() => {
      isOver = true;
    });
    await writing;
  }

  /** What was found but for what others changed all the time: a machine under load may never find it at rest. */
  const settled = async (repair: boolean) =>
    (await differencesOf(made.tenant, repair)).filter(({ kind }) => kind !== 'busy');

  it('nothing is taken for damage that is only on its way', async () => {
    await besideWriters(async () => {
      for (let times = 0; times < TIMES; times++) expect(await settled(times % 2 === 0)).toEqual([]);
    });
    await made.expectNoDifference();
  });

  it('damage is repaired, and nobody else is disturbed', async () => {
    const found = new Set<string>();
    await besideWriters(async () => {
      for (let times = 0; times < TIMES; times++) {
        await made.shift('RESOURCE', made.id('resource'), -1n, 'status', 'active');
        await made.add(made.key('client'), 'total_resources', 3);
        await made.add(made.key('service', 1), 'resource_count', 1);
        await made.add(made.key('ticket'), 'CHILDREN', 2);
        await made.put({ ...uniqueKey(made.tenant, 'CLIENT', 'slug', `nobody-${times}`), holder: made.id('client') });
        for (const kind of named(await settled(true))) found.add(kind);
      }
    });
    for (const kind of named(await differencesOf(made.tenant, true))) found.add(kind);
    await made.expectNoDifference();
    expect([...found].toSorted()).toEqual([
      'counter CLIENT total_resources',
      'counter SERVICE resource_count',
      'counter TICKET CHILDREN',
      'missing-in-list RESOURCE',
      'unique-value CLIENT slug',
    ]);
    expect((await made.calls.read('/api/v1/resources')).total).toBe(6);
  });
});
