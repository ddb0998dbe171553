import { beforeAll, describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, NOWHERE, pointersOf } from './api-driver.ts';

/** Lists by several values of their filters, over HTTP. How parameters are parsed: `test/contract/several-values.test.ts`. */

const api = useApi();
const mine = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));

const STATUSES = ['open', 'pending', 'closed'] as const;
const A_TICKET = { subject: 'x', description: 'x', source: 'web', contact_id: NOWHERE };
const ticket = (fields: object) => mine.create('/tickets', { ...A_TICKET, ...fields });

/** Ids of tickets, by client and status. */
const tickets = new Map<string, string>();
const clients: string[] = [];

beforeAll(async () => {
  for (const _ of [0, 1, 2]) clients.push((await mine.client()).id);
  for (const [index, client_id] of clients.entries())
    for (const status of STATUSES) tickets.set(`${index} ${status}`, (await ticket({ client_id, status })).id);
});

const found = async (query: string) => (await mine.list(`/tickets?sort=created_at&${query}`)).ids;
const those = (...names: string[]) => names.map((name) => tickets.get(name));

describe('tickets by several values', () => {
  it.each([
    ['status=open,pending', 6],
    ['status=open%2Cpending', 6],
    ['status=open&status=pending', 6],
    ['status=pending,open,pending', 6],
    ['status=open,closed,pending', 9],
    ['status=open', 3],
  ])('%s are those with any of them, and their total is exact', async (query, total) => {
    expect(await mine.list(`/tickets?page_size=2&${query}`)).toMatchObject({ ids: { length: 2 }, total });
    const statuses = [...new Set(new URLSearchParams(query).getAll('status').join().split(','))];
    const expected = Array.from(tickets).filter(([name]) => statuses.some((status) => name.endsWith(status)));
    expect(await found(query)).toEqual(expected.map(([, id]) => id));
  });

  it('also have those of other filters', async () => {
    const two = `client_id=${clients[0]},${clients[2]?.toUpperCase()}`;
    expect(await found(`status=open,closed&${two}`)).toEqual(those('0 open', '0 closed', '2 open', '2 closed'));
    expect(await found(`status=pending&${two}`)).toEqual(those('0 pending', '2 pending'));
    expect(await found(`status=open,closed&client_id=${clients[1]}`)).toEqual(those('1 open', '1 closed'));
  });

  it('have links that keep the values, and pages that follow one another', async () => {
    const ids: unknown[] = [];
    let target: string | undefined = '/tickets?sort=created_at&status=open,pending&page_size=4';
    while (target !== undefined) {
      const { headers, body } = await mine.get(target);
      ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
      target = /<\/api\/v1([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(ids).toEqual(await found('status=open,pending'));
  });

  it('follow a change from one of the values to another, and to none of them', async () => {
    const { id } = await ticket({ client_id: clients[0], status: 'open' });
    const query = `status=open,pending&client_id=${clients[0]}`;
    const all = await found(query);
    await mine.patch(`/tickets/${id}`, { status: 'pending' });
    expect(await found(query)).toEqual(all);
    await mine.patch(`/tickets/${id}`, { status: 'closed' });
    expect(await found(query)).toEqual(all.filter((each) => each !== id));
    await mine.remove(`/tickets/${id}`);
  });

  it('are refused where a value is wrong, with its place', async () => {
    const refused = async (query: string) => pointersOf(await mine.get(`/tickets?${query}`));
    expect(await refused('status=open,done')).toEqual(['#/status/1']);
    expect(await refused('status=done')).toEqual(['#/status']);
    expect(await refused('status=')).toEqual(['#/status']);
    expect(await refused(`client_id=${clients[0]},`)).toEqual(['#/client_id/1']);
    expect(await refused(`client_id=${Array(11).fill(clients[0])}`)).toEqual(['#/client_id']);
  });
});

describe.each([
  ['tickets', '/tickets', {}],
  ['services', '/services', { name: 'x', type: 'x' }],
  ['resources', '/resources', { name: 'x', type: 'x' }],
])('%s by tags', (_, path, fields) => {
  const made = new Map<string, string>();
  const encoded = (tags: readonly string[]) => tags.map((tag) => `tag=${encodeURIComponent(tag)}`).join('&');
  const having = async (...tags: string[]) => (await mine.list(`${path}?sort=created_at&${encoded(tags)}`)).ids;
  const ofNames = (...names: string[]) => names.map((name) => made.get(name));

  beforeAll(async () => {
    const required = path === '/tickets' ? A_TICKET : { client_id: clients[0], ...fields };
    const create = async (name: string, tags: unknown) =>
      made.set(name, (await mine.create(path, { ...required, tags })).id);
    await create('both', ['vip', 'São João, Porto', 'vip']);
    await create('vip', ['vip']);
    await create('many', [...Array.from({ length: 25 }, (_, index) => `t${index}`), 't0']);
    await create('none', null);
  });

  it('are those with all of them', async () => {
    expect(await having('vip')).toEqual(ofNames('both', 'vip'));
    expect(await having('vip', 'São João, Porto')).toEqual(ofNames('both'));
    expect(await having('São João')).toEqual([]);
    expect(await having('VIP')).toEqual([]);
    const one = `${path}?client_id=${clients[0]}&tag=vip&page_size=1`;
    expect((await mine.list(one)).total).toBe(path === '/tickets' ? 0 : 2);
  });

  it('are found by the first 20 different ones, and keep the others', async () => {
    expect([await having('t0'), await having('t19'), await having('t20')]).toEqual([
      ofNames('many'),
      ofNames('many'),
      [],
    ]);
    const { body } = await mine.get(`${path}/${made.get('many')}`);
    expect(body.tags).toHaveLength(26);
  });

  it('follow a change and a deletion', async () => {
    await mine.patch(`${path}/${made.get('vip')}`, { tags: ['lisbon'] });
    expect([await having('vip'), await having('lisbon')]).toEqual([ofNames('both'), ofNames('vip')]);
    await mine.remove(`${path}/${made.get('vip')}`);
    expect(await having('lisbon')).toEqual([]);
  });

  it('are refused where a tag is wrong, with its place', async () => {
    const refused = async (query: string) => pointersOf(await mine.get(`${path}?${query}`));
    expect(await refused('tag=')).toEqual(['#/tag']);
    expect(await refused(`tag=a&tag=${'x'.repeat(101)}`)).toEqual(['#/tag/1']);
    expect(await refused(Array(11).fill('tag=a').join('&'))).toEqual(['#/tag']);
  });
});
