import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { configureTable } from '#table';
import type { ApiResponse, JsonBody } from '../support/api.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { byExtent } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf } from './api-driver.ts';

/**
 * Whatever happens to a client's services and resources, in any order and even concurrently, where transactions conflict
 * as in DynamoDB, its derived fields equal a count of its records, and the lists by `has_risks` and `over_threshold` have
 * exactly what they should.
 */

const api = useApi();
const mine = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));

const health = fc.constantFrom<string>('healthy', 'degraded', 'down');
const usage = fc.constantFrom<number>(0, 50, 80, 81, 100);
const known = { cpu_usage: usage, memory_usage: usage, storage_usage: usage };
const resource = fc.record(
  {
    cpu_usage: fc.option(usage),
    memory_usage: fc.option(usage),
    storage_usage: fc.option(usage),
    health_status: health,
    usage_alerts_enabled: fc.boolean(),
    alert_threshold: fc.constantFrom(0, 80, 100),
  },
  { requiredKeys: [] },
);
const sample = fc.record(
  { ...known, health_status: health },
  { requiredKeys: ['cpu_usage', 'memory_usage', 'storage_usage'] },
);

/** Records are named by position, so that most steps use an existing one, and some a deleted one. */
const at = fc.nat(3);
const service_id = fc.option(at, { nil: undefined });
const step = fc.oneof(
  fc.record({ step: fc.constant('create service' as const), health_status: health }),
  fc.record({ step: fc.constant('change service' as const), at, health_status: health }),
  fc.record({ step: fc.constant('delete service' as const), at }),
  fc.record({ step: fc.constant('create resource' as const), fields: resource, service: service_id }),
  fc.record({ step: fc.constant('change resource' as const), at, fields: resource, service: service_id }),
  fc.record({ step: fc.constant('report' as const), at, sample, isOld: fc.boolean() }),
  fc.record({ step: fc.constant('delete resource' as const), at }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

class ClientStory {
  readonly clientId: string;
  readonly #services: string[] = [];
  readonly #resources: string[] = [];

  constructor(clientId: string) {
    this.clientId = clientId;
  }

  async take(taken: Step): Promise<void> {
    const { status, body } = await this.#response(taken);
    expect([taken.step, [200, 201, 204, 404, 409, 422].includes(status), status]).toEqual([taken.step, true, status]);
    if (taken.step === 'create service' && status === 201) this.#services.push(String(body.id));
    if (taken.step === 'create resource' && status === 201) this.#resources.push(String(body.id));
  }

  async clear(): Promise<void> {
    await Promise.all(this.#resources.map((id) => mine.remove(`/resources/${id}`)));
    await Promise.all(this.#services.map((id) => mine.remove(`/services/${id}`)));
  }

  #response(taken: Step): Promise<ApiResponse> {
    switch (taken.step) {
      case 'create service':
        return mine.post('/services', {
          client_id: this.clientId,
          name: 'S',
          type: 'web',
          health_status: taken.health_status,
        });
      case 'change service':
        return mine.patch(this.#service(taken.at), { health_status: taken.health_status });
      case 'delete service':
        return mine.remove(this.#service(taken.at));
      case 'create resource':
        return mine.post('/resources', {
          client_id: this.clientId,
          name: 'R',
          type: 'vm',
          ...taken.fields,
          ...this.#membership(taken.service),
        });
      case 'change resource':
        return mine.patch(this.#resource(taken.at), { ...taken.fields, ...this.#membership(taken.service) });
      case 'report':
        return mine.post(`${this.#resource(taken.at)}/history`, {
          ...taken.sample,
          ...(taken.isOld ? { timestamp: '2020-01-01T00:00:00Z' } : {}),
        });
      case 'delete resource':
        return mine.remove(this.#resource(taken.at));
    }
  }

  #service = (position: number): string => `/services/${pick(this.#services, position)}`;
  #resource = (position: number): string => `/resources/${pick(this.#resources, position)}`;
  #membership = (position: number | undefined): JsonBody =>
    position === undefined ? {} : { service_id: this.#services.length === 0 ? null : pick(this.#services, position) };
}

const NONE = '87d6100d-2b60-4000-8000-000000000000';
const pick = (ids: readonly string[], position: number): string =>
  ids.at(-1 - (position % Math.max(1, ids.length))) ?? NONE;

/** Whether there is a transaction that others conflict with, while many are sent. */
const conflicts = new Conflicts({ sends: 2 });
beforeAll(() => {
  configureTable({ requestHandler: new ConflictingHandler(conflicts) });
});

/** The client's derived fields, and the lists that have it. */
async function told(clientId: string): Promise<unknown> {
  const { services_count, total_resources, has_risks } = (await mine.get(`/clients/${clientId}`)).body;
  const [atRisk, others, over, within] = await Promise.all([
    mine.list('/clients?page_size=200&has_risks=true'),
    mine.list('/clients?page_size=200&has_risks=false&status=active'),
    mine.list(`/resources?page_size=200&over_threshold=true&client_id=${clientId}`),
    mine.list(`/resources?page_size=200&over_threshold=false&client_id=${clientId}`),
  ]);
  for (const { ids, total } of [atRisk, others, over, within]) expect(total).toBe(ids.length);
  expect([atRisk.ids.includes(clientId), others.ids.includes(clientId)]).toEqual([has_risks, !has_risks]);
  return { services_count, total_resources, has_risks, over: over.ids.toSorted(), within: within.ids.toSorted() };
}

/** The count of its records. */
async function counted(clientId: string): Promise<unknown> {
  const records = async (kind: string) =>
    (await mine.get(`/${kind}?client_id=${clientId}&page_size=200`)).body.data as JsonBody[];
  const [services, resources] = await Promise.all([records('services'), records('resources')]);
  const isOverused = (one: JsonBody): boolean =>
    one.usage_alerts_enabled === true &&
    [one.cpu_usage, one.memory_usage, one.storage_usage].some(
      (value) => value !== null && Number(value) > Number(one.alert_threshold),
    );
  const risks = [...services, ...resources].filter((one) => one.health_status !== 'healthy' || isOverused(one));
  const idsWhere = (isListed: boolean): unknown[] =>
    resources.flatMap((one) => (isOverused(one) === isListed ? [one.id] : [])).toSorted();
  return {
    services_count: services.length,
    total_resources: resources.length,
    has_risks: risks.length > 0,
    over: idsWhere(true),
    within: idsWhere(false),
  };
}

/** The end of each run: after all records are deleted, all counts are 0, never negative. */
async function endOf(client: ClientStory): Promise<void> {
  await client.clear();
  const nothing = { services_count: 0, total_resources: 0, has_risks: false, over: [], within: [] };
  expect(await told(client.clientId)).toEqual(nothing);
  await mine.service({ client_id: client.clientId, health_status: 'degraded' });
  expect(await told(client.clientId)).toEqual({ ...nothing, services_count: 1, has_risks: true });
}

it('a client counts its services, resources and risks exactly', async () => {
  const story = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(story, async (moments) => {
      const client = new ClientStory((await mine.client()).id);
      for (const atOnce of moments) {
        await Promise.all(atOnce.map((taken) => client.take(taken)));
        expect(await told(client.clientId)).toEqual(await counted(client.clientId));
      }
      await endOf(client);
    }),
    { numRuns: byExtent({ sample: 1, extended: 4, nightly: 100 }) },
  );
});

it('a client counts exactly when the same records are changed many times at once', async () => {
  const client = new ClientStory((await mine.client()).id);
  await client.take({ step: 'create service', health_status: 'healthy' });
  await client.take({ step: 'create resource', fields: {}, service: 0 });
  for (let round = 0; round < byExtent({ sample: 1, extended: 2, nightly: 20 }); round++) {
    const changes = Array.from({ length: 12 }, (_, index): Step => {
      const health_status = index % 2 === 0 ? 'down' : 'healthy';
      const cpu_usage = index % 4 < 2 ? 100 : 0;
      if (index % 3 === 0) return { step: 'change service', at: 0, health_status };
      if (index % 3 === 1) return { step: 'change resource', at: 0, fields: { cpu_usage }, service: undefined };
      const sample = { cpu_usage, memory_usage: 0, storage_usage: 0, health_status };
      return { step: 'report', at: 0, sample, isOld: false };
    });
    await Promise.all(changes.map((change) => client.take(change)));
    expect(await told(client.clientId)).toEqual(await counted(client.clientId));
  }
  await endOf(client);
});
