import { describe, expect, it } from 'vitest';
import { entity, Repository, RequestSession, set, Tenant } from '#table';
import { BetweenCallsHandler } from '../support/between-calls.ts';
import { aCaller } from '../support/caller.ts';
import { useTable } from './test-list.ts';

/** What a tenant handle has of a request that sees some clients only, whatever its operation asks for. */

interface Job {
  id: string;
  client_id: string | null;
  state: string;
  created_at: string;
}
interface Note {
  id: string;
  text: string;
  secret: boolean;
}
const [A, B, C] = ['a', 'b', 'c'] as const;
const table = useTable();
const kind = entity<Job>('JOB', { indexes: [set('client_id'), set('state')], ofClient: 'client_id' });
const notes = entity<Note>('NOTE', { byTime: true, parent: kind, internal: 'secret' });

let time = Date.now();

/** A handle of a new session, a millisecond after the last one. */
const handle = (clients: readonly string[] | null = null): Tenant => {
  const { id } = table.open();
  time += 1;
  const session = new RequestSession(table.table, () => time, time + 10_000);
  return Tenant.of({ ...aCaller(id), clients }, session);
};

const job = (client_id: string | null, state = 'open') => ({ client_id, state, created_at: new Date().toISOString() });

async function made(...all: readonly (string | null)[]): Promise<string[]> {
  const ids: string[] = [];
  for (const client_id of all) {
    const tenant = handle();
    const { record } = await tenant.records(kind).create({ fields: job(client_id) });
    await tenant.session.commit();
    ids.push(record.id);
  }
  return ids;
}

async function noted(id: string, ...all: readonly boolean[]): Promise<string[]> {
  const ids: string[] = [];
  for (const secret of all) {
    const tenant = handle();
    const { record } = await tenant.below(notes, id).create({ fields: { text: 'x', secret } });
    await tenant.session.commit();
    ids.push(record.id);
  }
  return ids;
}

const clientsOf = (records: readonly { readonly record: Job }[]) => records.map(({ record }) => record.client_id);

describe('a handle that sees some clients only', () => {
  it('has their records alone, in reads by id and in all lists, with totals', async () => {
    const [a, b, c, none] = await made(A, B, C, null);
    const records = handle([A, C]).records(kind);
    for (const [id, isThere] of [
      [a, true],
      [c, true],
      [b, false],
      [none, false],
    ] as const)
      expect((await records.get(id ?? ''))?.record.id).toBe(isThere ? id : undefined);
    const where = [{ field: 'state', anyOf: ['open'] }];
    const { total, records: listed } = await records.page({ page: 1, page_size: 100, where });
    expect(new Set(clientsOf(listed))).toEqual(new Set([A, C]));
    expect(total).toBe(listed.length);
    expect(clientsOf((await records.cursorPage({ limit: 100 })).records)).not.toContain(B);
    expect((await records.matching(where, 'state')).items.map(({ client_id }) => client_id)).not.toContain(B);
    expect(await records.countEach([], 'client_id', [A, B])).toEqual([
      [A, expect.any(Number)],
      [B, 0],
    ]);
    const named = { page: 1, page_size: 10, where: [{ field: 'client_id', anyOf: [B] }] };
    expect((await records.page(named)).total).toBe(0);
  });

  it('has clients by their ids', async () => {
    const [a, b] = await made(A, B);
    const clients = entity<Job>('JOB', { indexes: [set('client_id')], ofClient: 'id' });
    const records = handle([a ?? '']).records(clients);
    const { total, records: listed } = await records.page({ page: 1, page_size: 10 });
    expect([total, listed.map(({ record }) => record.id)]).toEqual([1, [a]]);
    expect([await records.get(b ?? ''), (await records.get(a ?? ''))?.record.id]).toEqual([undefined, a]);
  });

  it('writes no record of another client, before or after the change', async () => {
    const [a, b] = await made(A, B);
    const records = () => handle([A, C]).records(kind);
    const found = async (id = '') => (await handle().records(kind).get(id)) as never;
    const [ofA, ofB] = [await found(a), await found(b)];
    expect(() => records().create({ fields: job(B) })).toThrow('records of other clients');
    expect(() => records().create({ fields: job(null) })).toThrow('records of other clients');
    expect(() => records().update(ofA, { client_id: B })).toThrow('records of other clients');
    expect(() => records().update(ofB, { client_id: A })).toThrow('records of other clients');
    const tenant = handle([A, C]);
    await tenant.records(kind).update(ofA, { client_id: C });
    await tenant.session.commit();
    expect(clientsOf([await found(a)])).toEqual([C]);
  });

  it('requires records as if those of others were missing', async () => {
    const [a, b] = await made(A, B);
    const requiring = async (id = '', equals = {}) => {
      const tenant = handle([A, C]);
      tenant.records(kind).require(id, () => new Error('missing'), equals);
      await tenant.session.commit();
    };
    await requiring(a);
    await expect(requiring(b)).rejects.toThrow('missing');
    await expect(requiring(a, { client_id: C })).rejects.toThrow('missing');
    const lasting = async (id = '') => {
      const tenant = handle([A]);
      tenant.records(kind).requireLasting(id, () => new Error('missing'));
      await tenant.records(kind).create({ fields: job(A) });
      await tenant.session.commit();
    };
    await lasting(a);
    await expect(lasting(b)).rejects.toThrow('missing');
  });

  it('has what is below their records, but for what is of the organization itself', async () => {
    const [a = '', b = ''] = await made(A, B);
    const [first, secret, last] = await noted(a, false, true, false, true);
    const [ofB = ''] = await noted(b, false);
    const below = (id: string) => handle([A]).below(notes, id);
    const read = [first, secret, last].map(async (id = '') => (await below(a).get(id))?.record.id);
    expect(await Promise.all(read)).toEqual([first, undefined, last]);
    expect([await below(b).get(ofB), await below(b).cursorPage({ limit: 10 })]).toEqual([
      undefined,
      { records: [], next: undefined },
    ]);
    // A page ends with what is shown, and only what is shown follows.
    const page = await below(a).cursorPage({ limit: 1 });
    expect([page.records.map(({ record }) => record.id), page.next]).toEqual([[first], first]);
    const rest = await below(a).cursorPage({ limit: 1, after: page.next });
    expect([rest.records.map(({ record }) => record.id), rest.next]).toEqual([[last], undefined]);
    expect(() => below(a).create({ fields: { text: 'x', secret: true } })).toThrow('of the organization itself');
    await expect(below(b).create({ fields: { text: 'x', secret: false } })).rejects.toThrow(
      'below those of other clients',
    );
  });

  it('has a page of few of them in few calls, however many are of the organization itself', async () => {
    const [a = ''] = await made(A);
    const [first, ...others] = await noted(a, false, ...Array<boolean>(40).fill(true), false, false);
    const counting = new BetweenCallsHandler(
      () => 0,
      async () => undefined,
    );
    const { id } = table.open();
    const session = new RequestSession(table.over(counting), () => time, time + 10_000);
    const below = Tenant.of({ ...aCaller(id), clients: [A] }, session).below(notes, a);
    const page = await below.cursorPage({ limit: 1, after: first });
    expect([page.records.map(({ record }) => record.id), page.next]).toEqual([[others[40]], others[40]]);
    expect(counting.count).toBeGreaterThan(1);
    expect(counting.count).toBeLessThan(10);
  });

  it('stays so where the organization is named, and has no trash', async () => {
    const { id, session, clients } = handle([A]);
    const caller = { ...aCaller(id), clients };
    expect(Tenant.named(id, caller, session)?.clients).toEqual([A]);
    expect(() => Tenant.of(caller, session).trashOf(kind)).toThrow('no trash');
  });

  it('has no records of kinds that do not say whose they are', () => {
    expect(() => handle([A]).records(entity('BARE'))).toThrow('BARE');
    expect(handle([A]).records(entity('OF_ALL', { ofClient: null })).constructor).toBe(Repository);
    expect(handle([]).records(kind).constructor).not.toBe(Repository);
  });
});

/** What is safe as it is: it reads through the methods that are kept to the clients, or returns no record. */
const KEPT = [
  ...['constructor', 'indexes', 'list', 'keyOf', 'table', 'stored', 'pageIn', 'work', 'observe', 'countChild'],
  ...['noteUnbuilt', 'prepare', 'derived', 'countEach', 'requireLasting'],
];

const prototypeOf = (value: object): object => Object.getPrototypeOf(value) as object;

/** The prototypes of those from which one inherits. */
const inheritedBy = (prototype: object): readonly object[] =>
  prototype === Object.prototype ? [] : [prototype, ...inheritedBy(prototypeOf(prototype))];

it.each([
  ['records', () => handle([A]).records(kind)],
  ['records below others', () => handle([A]).below(notes, '1577e4a9-237a-497d-928b-f72766893d73')],
])('%s: every method is kept to the clients or closed', (_, open) => {
  const [own = {}, ...bases] = inheritedBy(prototypeOf(open()));
  const inherited = bases.flatMap((each) => Object.getOwnPropertyNames(each));
  expect(inherited).toContain('page');
  expect(inherited.filter((name) => !Object.hasOwn(own, name) && !KEPT.includes(name))).toEqual([]);
});
