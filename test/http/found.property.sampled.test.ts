import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { configureTable } from '#table';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { byExtent } from '../support/extent.ts';
import type { Fault } from '../support/faults.ts';
import { expected, type Row } from '../support/list-oracle.ts';
import { useTableOver } from '../support/storage.ts';
import { useApi } from '../support/use-api.ts';
import { type ApiDriver, apiDriverOf, later, type Responded } from './api-driver.ts';
import { FOUND_LISTS, type FoundList, OWN_CLIENT, withFlags } from './found-lists.ts';
import { inOrder, isRefused, type ListQuery, pathOf, queryOf, unknownParameters } from './found-queries.ts';

/**
 * The lists of the API against a plain array (`list-oracle.ts`): any combination of words, several values, tags, exact
 * values, times and orders, on any page, after creations, changes and deletions that ran at once, conflicted, met
 * faults of the network, or died half-way.
 */

// A fault may also meet the authorizer, whose errors the gateway prints.
const api = useApi({ report: () => undefined });
afterAll(() => configureTable({}));

const FAULTS: readonly Fault[] = [
  ...(['crash', 'crash-after', 'reply-lost', 'dropped', 'timeout'] as const),
  ...(['applied-server-error', 'conflict', 'throttled', 'forgotten'] as const),
];
const fault = fc.record({ kind: fc.constantFrom(...FAULTS), at: fc.nat(12) });

/** Steps that are taken at once, by a process that may meet a fault. */
const actsOf = ({ fields }: FoundList) => {
  const step = fc.record({
    does: fc.constantFrom('create', 'create', 'create', 'change', 'change', 'delete', 'write'),
    which: fc.nat(30),
    fields: fc.record(fields, { requiredKeys: [] }),
  });
  const steps = fc.array(step, { minLength: 1, maxLength: 5 });
  const act = fc.record({ steps, fault: fc.option(fault, { nil: undefined, freq: 2 }) });
  return fc.array(act, { minLength: 2, maxLength: 8 });
};
type Acts = ReturnType<typeof actsOf> extends fc.Arbitrary<infer A> ? A : never;
type Step = Acts[number]['steps'][number];

const conflicts = new Conflicts({ milliseconds: 2 });

/** Statuses of steps of a process that nothing has happened to. */
const FINE = [200, 201, 204, 404, 409, 412, 422];

class Story {
  readonly #list: FoundList;
  readonly #driver: ApiDriver;
  readonly #clientId: string;
  readonly #known: string[] = [];

  constructor(list: FoundList, driver: ApiDriver, clientId: string) {
    this.#list = list;
    this.#driver = driver;
    this.#clientId = clientId;
  }

  static async begin(list: FoundList): Promise<Story> {
    configureTable({});
    const driver = apiDriverOf(api, (await api.orgToken()).token);
    return new Story(list, driver, list.ofClient ? (await driver.client()).id : '');
  }

  async play(acts: Acts): Promise<void> {
    for (const { steps, fault: happens } of acts) {
      const handler = new ConflictingHandler(conflicts);
      handler.follow(({ index }) => (index === happens?.at ? happens.kind : undefined));
      useTableOver(handler);
      const statuses = await Promise.all(steps.map((step) => this.#take(step)));
      if (happens === undefined) expect(statuses.filter((status) => !FINE.includes(status))).toEqual([]);
    }
    configureTable({});
    // Numbers whose writers died count in the whole list until their page is read.
    later(2);
    await this.rows();
  }

  async #take({ does, which, fields }: Step): Promise<number> {
    const { path, required, canBeDeleted, ofClient } = this.#list;
    const id = this.#known[which % Math.max(1, this.#known.length)];
    if (does === 'create') {
      const client = ofClient ? { client_id: this.#clientId } : {};
      const { status, body } = await this.#driver.post(path, { ...required(), ...client, ...fields });
      if (status === 201) this.#known.push(String(body.id));
      return status;
    }
    if (id === undefined) return 200;
    if (does === 'delete' && canBeDeleted) return (await this.#driver.remove(`${path}/${id}`)).status;
    if (does === 'write' && path === '/tickets') {
      const message = { author_type: 'agent', author_id: id, message: 'm' };
      return (await this.#driver.post(`${path}/${id}/messages`, message)).status;
    }
    return (await this.#driver.patch(`${path}/${id}`, fields)).status;
  }

  /** The records, oldest first, each as it is read alone. */
  async rows(): Promise<Row[]> {
    const { path } = this.#list;
    const { status, body } = await this.#driver.get(`${path}?sort=created_at&page_size=200`);
    expect(status).toBe(200);
    const all = await Promise.all((body.data as Responded[]).map(({ id }) => this.#driver.get(`${path}/${id}`)));
    expect(all.map((each) => each.status)).toEqual(all.map(() => 200));
    return all.map((each) => withFlags(each.body));
  }

  async compare(rows: readonly Row[], query: ListQuery): Promise<void> {
    const idOf = (value: string): string => (value === OWN_CLIENT ? this.#clientId : value);
    const anyOf = Object.fromEntries(
      Object.entries(query.anyOf ?? {}).map(([field, values]) => [field, values.map(idOf)]),
    );
    const wanted = inOrder(expected(rows, { ...query, anyOf }, this.#list.searched), query.sort).map(({ id }) => id);
    const found: unknown[] = [];
    for (let page = 1; page <= Math.max(1, Math.ceil(wanted.length / query.size)); page++) {
      const path = pathOf(this.#list, query, page, idOf);
      const { status, body } = await this.#driver.get(path);
      if (isRefused(query)) expect([path, status]).toEqual([path, 400]);
      if (isRefused(query)) return;
      expect([path, status, body.total]).toEqual([path, 200, wanted.length]);
      found.push(...(body.data as Responded[]).map(({ id }) => id));
    }
    expect([pathOf(this.#list, query, 1, idOf), found]).toEqual([pathOf(this.#list, query, 1, idOf), wanted]);
  }
}

it.each(FOUND_LISTS)('$listId has what a plain array would have', async (list) => {
  const queries = fc.infiniteStream(fc.nat());
  await fc.assert(
    fc.asyncProperty(actsOf(list), queries, async (acts, seeds) => {
      const story = await Story.begin(list);
      await story.play(acts);
      const rows = await story.rows();
      const times = rows.map((row) => row.last_activity_at).filter((time) => typeof time === 'string');
      const seed = Number(seeds.next().value);
      for (const query of fc.sample(queryOf(list, times), { seed, numRuns: 12 })) await story.compare(rows, query);
      vi.useRealTimers();
    }),
    { numRuns: byExtent({ sample: 1, extended: 2, nightly: 60 }), endOnFailure: true },
  );
});

it('no parameter of these lists is left out', () => {
  expect(FOUND_LISTS.map(unknownParameters)).toEqual(FOUND_LISTS.map(() => []));
});
