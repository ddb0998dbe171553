import { beforeEach, expect, it } from 'vitest';
import { CursorExpiredError, CustodiaProblem, type EventFeed } from '../../packages/client/src/index.ts';
import { all, type Fake, fakeClient, json, type Reply, refusal } from './fake.ts';

/** `custodia.events()` of `@custodia/client`, over a feed that is written down: two events a page, positions as cursors. */

let journal: { readonly id: string }[];
let fake: Fake;
let waits: number;

const feed: Reply = ({ target }) => {
  const query = new URL(target, 'http://x').searchParams;
  const from = query.get('after') === 'latest' ? journal.length : Number(query.get('after') ?? 0);
  const next = Math.min(from + 2, journal.length);
  const data = query.has('types') ? [] : journal.slice(from, next);
  return json({ data, next: String(next), more: next < journal.length });
};

/** Something happens during each second wait. */
const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
  signal?.throwIfAborted();
  expect(milliseconds).toBe(5000);
  if (++waits % 2 === 0) journal.push({ id: `after-${waits}-waits` });
};

beforeEach(() => {
  waits = 0;
  journal = ['a', 'b', 'c'].map((id) => ({ id }));
  fake = fakeClient(feed, { timing: { sleep } });
});

const asked = (): string[] => fake.sent.map(({ target }) => target.replace('/stage/api/v1/events?', ''));

/** The ids that a loop takes before it is left, at the last of them. */
async function taken(events: EventFeed, last: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of events) {
    ids.push(id);
    if (id === last) break;
  }
  return ids;
}

it('reads to the end of the feed where it does not follow, and sends nothing before it is asked', async () => {
  const events = fake.custodia.events({ after: '0', limit: 2, expand: 'record', follow: false });
  expect(fake.sent).toEqual([]);
  expect((await all(events)).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(asked()).toEqual(['limit=2&expand=record&after=0', 'limit=2&expand=record&after=2']);
  expect([waits, events.cursor]).toEqual([0, '3']);
});

it('waits at the end of the feed, and goes on with what comes then', async () => {
  expect(await taken(fake.custodia.events(), 'after-4-waits')).toEqual([
    'a',
    'b',
    'c',
    'after-2-waits',
    'after-4-waits',
  ]);
  expect(waits).toBe(4);
});

it('has a cursor behind the pages that the loop has come back from, where another loop goes on', async () => {
  const events = fake.custodia.events({ follow: false });
  expect([events.cursor, await taken(events, 'b')]).toEqual([undefined, ['a', 'b']]);
  // The loop was left while it handled `b`.
  expect([events.cursor, await taken(events, 'c')]).toEqual([undefined, ['a', 'b', 'c']]);
  expect([events.cursor, await taken(events, '')]).toEqual(['2', ['c']]);
  expect([events.cursor, await taken(events, '')]).toEqual(['3', []]);
});

it('gives pages with their cursor, also where nothing in them is for the caller, but not while nothing happens', async () => {
  const controller = new AbortController();
  const seen: string[] = [];
  const reading = async () => {
    for await (const { data, next } of fake.custodia
      .events({ types: 'user.created', signal: controller.signal })
      .pages()) {
      expect(data).toEqual([]);
      seen.push(next);
      if (next === '5') controller.abort(new Error('enough'));
    }
  };
  await expect(reading()).rejects.toThrow('enough');
  expect(seen).toEqual(['2', '3', '4', '5']);
});

it('reads one page, which gives the cursor from which to follow', async () => {
  const events = fake.custodia.events({ after: 'latest' });
  expect(await events.page()).toEqual({ data: [], next: '3', more: false });
  expect([asked(), events.cursor]).toEqual([['after=latest'], 'latest']);
});

it('says what to do where the cursor has expired, and throws other problems as they are', async () => {
  fake = fakeClient(({ target }) =>
    target.includes('after') ? refusal('cursor-expired', 410) : refusal('forbidden', 403),
  );
  const failure = await all(fake.custodia.events({ after: 'old' })).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CursorExpiredError);
  expect(failure).toMatchObject({
    ...{ name: 'CursorExpiredError', cursor: 'old', cause: { status: 410, requestId: 'request-1' } },
    message: expect.stringContaining("after: 'latest'"),
  });
  await expect(fake.custodia.events().page()).rejects.toBeInstanceOf(CustodiaProblem);
});
