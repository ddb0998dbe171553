import { expect, it } from 'vitest';
import { all, fakeClient, json, type Reply } from './fake.ts';

/** Lists and watching of `@custodia/client`, over responses that are written down. */

const params = { path: { id: 'some-id' } };

const numbered: Reply = ({ target }) => {
  const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 1);
  return json({ data: [`${page}a`, `${page}b`], page, page_size: 2, total: 5 });
};

it('a list of numbered pages is read to its end, with its filters, and no further than the loop goes', async () => {
  const { custodia, sent } = fakeClient(numbered);
  const query = { status: 'open', page_size: 2 } as const;
  const found = await all(custodia.records('/api/v1/tickets', { params: { query } }));
  expect(found).toEqual(['1a', '1b', '2a', '2b', '3a', '3b']);
  const pages = ['', '&page=2', '&page=3'];
  expect(sent.map(({ target }) => target)).toEqual(
    pages.map((page) => `/stage/api/v1/tickets?status=open&page_size=2${page}`),
  );
  for await (const { page } of custodia.pages('/api/v1/tickets', { params: { query: { page: 2 } } })) {
    expect(page).toBe(2);
    break;
  }
  expect(sent).toHaveLength(4);
});

it('a filter has one value, or several', async () => {
  const { custodia, sent } = fakeClient(numbered);
  await custodia.tickets.list({ status: ['open', 'pending'], client_id: 'a' }).page();
  expect(sent[0]?.target).toBe('/stage/api/v1/tickets?status=open&status=pending&client_id=a');
  await expect(custodia.tickets.list({ status: [] }).page()).rejects.toThrow('status is an empty list');
  expect(sent).toHaveLength(1);
});

it('a list without numbers is read by its links', async () => {
  const next = '/stage/api/v1/tickets/some-id/messages?org_id=o&after=k%2F2';
  const { custodia, sent } = fakeClient(({ target }) =>
    target.includes('after=')
      ? json({ data: ['c'] })
      : json({ data: ['a', 'b'] }, 200, { link: `<${next}>; rel="next"` }),
  );
  const found = await all(custodia.pages('/api/v1/tickets/{id}/messages', { params }));
  expect(found).toEqual([{ data: ['a', 'b'] }, { data: ['c'] }]);
  expect(sent[1]?.target).toBe(next);
});

it('what is watched is given now and after each change, and asked for with its tag', async () => {
  const states = ['a', 'a', 'b', 'b', 'b', 'c'];
  const { custodia, slept } = fakeClient(({ headers }) => {
    const state = states.shift() ?? '';
    const etag = `"${state}"`;
    const isKnown = headers.get('if-none-match') === etag;
    return isKnown ? new Response(null, { status: 304, headers: { etag } }) : json({ state }, 200, { etag });
  });
  const seen: unknown[] = [];
  for await (const data of custodia.watch('/api/v1/tickets/{id}', { params, every: 1000 })) {
    seen.push(data);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual([{ state: 'a' }, { state: 'b' }, { state: 'c' }]);
  expect(slept).toEqual(Array(5).fill(1000));
});

it('watching ends with its signal', async () => {
  const controller = new AbortController();
  const { custodia } = fakeClient(() => json({}));
  const reason = new Error('enough');
  const watching = async () => {
    for await (const _ of custodia.watch('/api/v1/tickets', { signal: controller.signal })) controller.abort(reason);
  };
  await expect(watching()).rejects.toBe(reason);
});

it('a read with If-None-Match gives nothing when nothing has changed', async () => {
  const { custodia } = fakeClient(() => new Response(null, { status: 304 }));
  const header = { 'If-None-Match': '"1"' };
  const { data, response } = await custodia.GET('/api/v1/tickets/{id}', { params: { ...params, header } });
  expect([data, response.status]).toEqual([undefined, 304]);
});
