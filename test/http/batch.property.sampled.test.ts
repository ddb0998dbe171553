import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { configureTable, RequestSession, Tenant } from '#table';
import { contracts } from '../../functions/all-contracts.ts';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { byExtent } from '../support/extent.ts';
import type { Fault } from '../support/faults.ts';
import { SDK_ATTEMPTS, useTableOver } from '../support/storage.ts';
import { dumpOf } from '../support/table-dump.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf } from './api-driver.ts';

/**
 * Any batch equals its lines sent alone in their order, in statuses, problems, records, counters and events, where transactions conflict as in
 * DynamoDB; and whatever happens below the SDK, once what is undecided was sent again.
 *
 * A batch orders by names, so nothing here depends on two lines that concern one record under different names
 * (`functions/batch/names.ts`): no line takes a resource out of the service that another deletes, and none gives up a slug.
 */

const api = useApi({ report: () => undefined });

const word = fc.constantFrom('x', 'y', 'z');
const name = fc.constantFrom('One', 'Two', '');
const client = fc.constantFrom('client0', 'client1', 'client2', 'nowhere');
const service = fc.constantFrom('service0', 'service1');
const resource = fc.constantFrom('resource0', 'resource1');
const ticket = fc.constantFrom('ticket0', 'ticket1', 'nowhere');
const if_match = fc.option(fc.constantFrom('*', '"99.stale"', 'no tag'), { nil: undefined, freq: 5 });
const usage = fc.constantFrom(10, 90, 101);

interface Line {
  readonly operation: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: JsonBody;
  readonly if_match?: string | undefined;
}

const operation = <O extends string>(id: O) => fc.constant(id);
/** Records of the world are named by their names. */
const line: fc.Arbitrary<Line> = fc.oneof(
  fc.record({
    operation: operation('createClient'),
    body: fc.record({ name, slug: word }, { requiredKeys: ['name'] }),
  }),
  fc.record({
    operation: operation('upsertClient'),
    params: fc.record({ slug: word }),
    body: fc.record({ name, plan: word }, { requiredKeys: ['name'] }),
  }),
  fc.record({
    operation: operation('updateClient'),
    params: fc.record({ id: client }),
    body: fc.record({ name, plan: word, unknown: fc.constant(1) }, { requiredKeys: [] }),
    if_match,
  }),
  fc.record({ operation: operation('createService'), body: fc.record({ client_id: client, name, type: word }) }),
  fc.record({
    operation: operation('updateService'),
    params: fc.record({ id: service }),
    body: fc.record({ name }, { requiredKeys: [] }),
    if_match,
  }),
  fc.record({ operation: operation('deleteService'), params: fc.constant({ id: 'service2' }), if_match }),
  fc.record({
    operation: operation('createResource'),
    body: fc.record(
      { client_id: client, service_id: fc.constantFrom('service0', 'service1', 'service2'), name, type: word },
      { requiredKeys: ['client_id', 'name', 'type'] },
    ),
  }),
  fc.record({
    operation: operation('updateResource'),
    params: fc.record({ id: resource }),
    body: fc.record({ name, service_id: service }, { requiredKeys: [] }),
    if_match,
  }),
  fc.record({ operation: operation('deleteResource'), params: fc.constant({ id: 'resource2' }), if_match }),
  fc.record({
    operation: operation('createResourceHistoryEntry'),
    params: fc.record({ id: resource }),
    body: fc.record({ cpu_usage: usage, memory_usage: usage, storage_usage: usage }),
  }),
  fc.record({
    operation: operation('createTicket'),
    body: fc.record(
      {
        client_id: client,
        subject: name,
        description: name,
        source: word,
        contact_id: fc.constant('5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11'),
      },
      { requiredKeys: ['client_id', 'subject', 'description', 'source', 'contact_id'] },
    ),
  }),
  fc.record({
    operation: operation('updateTicket'),
    params: fc.record({ id: ticket }),
    body: fc.record({ subject: name, status: word }, { requiredKeys: [] }),
    if_match,
  }),
  fc.record({ operation: operation('deleteTicket'), params: fc.record({ id: ticket }), if_match }),
  fc.record({
    operation: operation('createTicketMessage'),
    params: fc.record({ id: ticket }),
    body: fc.record({
      author_type: fc.constant('user'),
      author_id: fc.constant('5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11'),
      message: name,
    }),
  }),
  fc.record({ operation: operation('createTerminal'), body: fc.record({ client_id: client, name }) }),
  fc.record({
    operation: operation('createUser'),
    body: fc.record({ email: fc.constantFrom('a@example.com', 'A@example.com', 'b@example.com', 'no mail'), name }),
  }),
);
const lines = fc.array(line, { minLength: 1, maxLength: 25 });

const NOWHERE = '87d6100d-2b60-4000-8000-000000000000';
const routes = new Map(contracts.flatMap(({ routes }) => Object.entries(routes)));

interface Result {
  readonly key: string;
  readonly status: number;
  readonly problem?: JsonBody;
}

/** An organization with a few records, in which lines are carried out. */
class World {
  readonly #org: OrgAccess;
  readonly #ids: ReadonlyMap<string, string>;

  private constructor(org: OrgAccess, ids: ReadonlyMap<string, string>) {
    this.#org = org;
    this.#ids = ids;
  }

  static async make(): Promise<World> {
    const org = await api.orgToken();
    const { client, service, resource, create } = apiDriverOf(api, org.token);
    const ids = new Map([['nowhere', NOWHERE]]);
    for (const index of [0, 1, 2]) {
      const { id: client_id } = await client({ name: `Client ${index}` });
      const { id: service_id } = await service({ client_id: ids.get('client0') ?? client_id });
      ids.set(`client${index}`, client_id).set(`service${index}`, service_id);
      const { id } = await resource({ client_id: ids.get('client0'), name: `Resource ${index}` });
      const contact_id = '5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11';
      const ticket = { client_id, subject: `Ticket ${index}`, description: 'x', source: 'email', contact_id };
      ids.set(`resource${index}`, id).set(`ticket${index}`, (await create('/tickets', ticket)).id);
    }
    return new World(org, ids);
  }

  /** With ids in the place of names. */
  named(all: readonly Line[]): readonly (Line & { readonly key: string })[] {
    const withIds = (fields: JsonBody | undefined): JsonBody | undefined =>
      fields && Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, this.#idOf(value)]));
    return all.map(({ params, body, ...rest }, index) => ({
      key: `row-${index}`,
      ...rest,
      ...(params && { params: withIds(params) as Record<string, string> }),
      ...(body && { body: withIds(body) ?? {} }),
    }));
  }

  #idOf = (value: unknown): unknown => this.#ids.get(String(value)) ?? value;

  async batch(operations: readonly Line[]): Promise<readonly Result[]> {
    const { token } = this.#org;
    const response = await api.request<{ results?: Result[] }>('POST', '/api/v1/batch', {
      token,
      body: { operations },
    });
    const { status, body } = response;
    // Refused as a whole, before anything was carried out.
    return body.results ?? operations.map(() => ({ key: '', status }));
  }

  /** Sends what is undecided again, as a client does: on a slow machine the time of a batch may be over. */
  async whole(
    operations: readonly (Line & { readonly key: string })[],
    onTry: (tries: number) => void = () => undefined,
  ): Promise<readonly Result[]> {
    const decided = new Map<string, Result>();
    let left = operations;
    for (let tries = 0; left.length > 0; tries++) {
      expect(tries).toBeLessThan(10);
      onTry(tries);
      const results = await this.batch(left);
      for (const result of results) if (!isUndecided(result)) decided.set(result.key, result);
      left = left.filter(({ key }) => !decided.has(key));
    }
    return operations.flatMap(({ key }) => decided.get(key) ?? []);
  }

  async alone({ key, operation: id, params = {}, body, if_match }: Line & { readonly key: string }): Promise<Result> {
    const route = routes.get(id);
    if (route === undefined) throw new Error(`no operation ${id}`);
    const path = route.path.replace(/\{(\w+)\}/g, (_, parameter) => params[parameter] ?? '');
    const query = new URLSearchParams(
      Object.entries(params).filter(([parameter]) => !(parameter in route.params.shape)),
    );
    const response = await api.request(route.method, `${path}?${query}`, {
      token: this.#org.token,
      ...(body === undefined ? {} : { body }),
      headers: { 'idempotency-key': key, ...(if_match === undefined ? {} : { 'if-match': if_match }) },
    });
    return { key, status: response.status, ...(response.status >= 400 ? { problem: response.body } : {}) };
  }

  /** Everything that callers see of it, without what differs between two organizations. */
  async state(): Promise<unknown> {
    const { get } = apiDriverOf(api, this.#org.token);
    const list = async (path: string) => {
      const { data } = (await get(`${path}${path.includes('?') ? '&' : '?'}page_size=200`)).body as {
        data: JsonBody[];
      };
      return data.map((record) => JSON.stringify(this.#comparable(record))).toSorted();
    };
    const paths = [
      '/clients',
      '/clients?has_risks=true',
      '/services',
      '/resources',
      '/tickets',
      '/terminals',
      '/users',
    ];
    const histories = [0, 1].map((index) => `/resources/${this.#ids.get(`resource${index}`)}/history`);
    // `GET /events` ends before a number that may still be written.
    const journal = (await dumpOf(api.table)).filter(
      // A tombstone, in the place of an event whose writer failed, has no type.
      ({ PK, type }) => PK?.S === `ORG#${this.#org.orgId}#EVENT` && type !== undefined,
    );
    const events = Object.entries(Object.groupBy(journal, ({ type }) => String(type?.S)));
    return {
      lists: await Promise.all([...paths, ...histories].map(list)),
      events: events.map(([type, all = []]) => [type, all.length]).toSorted(),
    };
  }

  #comparable(record: JsonBody): JsonBody {
    const names = new Map(Array.from(this.#ids, ([name, id]) => [id, name]));
    const kept = Object.entries(record).filter(([field]) => !OF_ITS_OWN.test(field));
    const id = names.get(String(record.id)) ?? 'new';
    return { ...Object.fromEntries(kept.map(([field, value]) => [field, names.get(String(value)) ?? value])), id };
  }

  async differences(): Promise<unknown> {
    const tenant = Tenant.ofOperator(this.#org.orgId, RequestSession.ofEnvironment(10_000));
    return (await verify(tenant, kinds, { repair: false })).differences;
  }
}

const OF_ITS_OWN = /^(id|org_id|.*_at|timestamp|last_contact|last_health_check|ticket_code)$/;

/** Status and problem, without the id of the request and of records. */
const outcomeOf = ({ key, status, problem }: Result) => [key, status, problem?.type, problem?.errors];

const isUndecided = ({ status }: Result): boolean => status === 429 || status === 503;

/** Transactions conflict in both ways, and single calls fail where a fault is planned. */
const conflicts = new Conflicts({ sends: 2 });
const handler = new ConflictingHandler(conflicts);
beforeAll(() => configureTable({ requestHandler: handler }));
afterEach(() => handler.follow(() => undefined));

const FAULTS = ['dropped', 'reply-lost', 'timeout', 'throttled', 'server-error', 'applied-server-error', 'conflict'];

/** From which call on, for how many calls, which fault. */
const faults = fc.array(
  fc.record({
    from: fc.nat(150),
    count: fc.constantFrom(1, 2, 3 * SDK_ATTEMPTS, 8 * SDK_ATTEMPTS),
    fault: fc.constantFrom(...(FAULTS as Fault[])),
  }),
  { minLength: 1, maxLength: 6 },
);

describe('a batch', () => {
  it('equals its lines sent alone, in their order', () =>
    fc.assert(
      fc.asyncProperty(lines, async (all) => {
        const [together, apart] = [await World.make(), await World.make()];
        const results = await together.whole(together.named(all));
        const expected: Result[] = [];
        for (const one of apart.named(all)) expected.push(await apart.alone(one));
        expect(results.map(outcomeOf)).toEqual(expected.map(outcomeOf));
        expect(await together.state()).toEqual(await apart.state());
        expect(await together.differences()).toEqual([]);
      }),
      { numRuns: byExtent({ sample: 1, extended: 2, nightly: 40 }), endOnFailure: true },
    ));

  it('has the same effect under faults, when what is undecided is sent again', () =>
    fc.assert(
      fc.asyncProperty(lines, faults, async (all, planned) => {
        const [together, apart] = [await World.make(), await World.make()];
        useTableOver(handler);
        handler.follow(({ index }) => planned.find(({ from, count }) => index >= from && index < from + count)?.fault);
        await together.whole(together.named(all), (tries) => {
          if (tries === 2) handler.follow(() => undefined);
        });
        handler.follow(() => undefined);
        for (const one of apart.named(all)) await apart.alone(one);
        expect(await together.state()).toEqual(await apart.state());
        expect(await together.differences()).toEqual([]);
      }),
      { numRuns: byExtent({ sample: 1, extended: 1, nightly: 20 }), endOnFailure: true },
    ));

  it('of creations has its effect once, however often it is sent', () =>
    fc.assert(
      fc.asyncProperty(lines, async (all) => {
        const world = await World.make();
        const creations = world.named(all.filter(({ operation: id }) => id.startsWith('create')));
        if (creations.length === 0) return;
        const first = await world.whole(creations);
        const state = await world.state();
        const again = await world.whole(creations);
        expect(again.map(outcomeOf)).toEqual(first.map(outcomeOf));
        expect(await world.state()).toEqual(state);
      }),
      { numRuns: byExtent({ sample: 1, extended: 1, nightly: 20 }), endOnFailure: true },
    ));
});
