import { beforeAll, expect, it } from 'vitest';
import { CursorExpiredError, type Custodia, createCustodia } from '../../clients/typescript/src/index.ts';
import { keepMirror, type Mirror } from '../../examples/mirror.ts';
import { useApi } from '../support/use-api.ts';
import { all, refusal } from './fake.ts';

/** The mirror of docs/events.md, while others write: after each response that it gets, somebody has changed something. */

const api = useApi();
let writer: Custodia;
let clientId: string;
let credentials: { readonly appCode: string; readonly secret: string };

const RECORDS = 60;

beforeAll(async () => {
  const { appCode, secret } = await api.orgToken();
  credentials = { appCode, secret };
  writer = createCustodia({ baseUrl: api.url, credentials });
  clientId = (await writer.clients.create({ name: 'Bistro', slug: 'bistro' })).id;
  await Promise.all(Array.from({ length: RECORDS }, (_, number) => create(number)));
});

const create = (number: number) =>
  writer.services.create({ client_id: clientId, name: `Till ${number}`, type: 'saas' });

const oldestFirst = { sort: 'created_at', page_size: 200 } as const;
const services = () => all(writer.services.list(oldestFirst));

/** Each deletes the oldest and changes one in the middle and the newest, and every other one also creates one. */
async function write(number: number): Promise<void> {
  const found = await services();
  const [first, middle, last] = [found[0], found[found.length >> 1], found.at(-1)];
  await writer.services.delete(first?.id ?? '');
  await writer.services.update(middle?.id ?? '', { name: `Changed ${number}` });
  await writer.services.update(last?.id ?? '', { status: number % 2 === 0 ? 'paused' : 'active' });
  if (number % 2 === 0) await create(RECORDS + number);
}

/** Keeps a mirror until nothing has happened for a while; after each of the first responses something is written. */
async function keptWhileOthersWrite(mirror: Mirror, writes: number, reply?: (path: string) => Response | undefined) {
  const controller = new AbortController();
  const done = new Error('nothing more happens');
  const fetched = async (request: Request): Promise<Response> => {
    const response = reply?.(new URL(request.url).pathname) ?? (await fetch(request));
    if (!request.url.endsWith('/login') && writes > 0) await write(writes--);
    return response;
  };
  // What was written behind the last response is still to be read.
  let idle = 0;
  const sleep = async (): Promise<void> => {
    if (writes === 0 && ++idle > 1) controller.abort(done);
    controller.signal.throwIfAborted();
  };
  const custodia = createCustodia({ baseUrl: api.url, credentials, fetch: fetched, timing: { sleep } });
  await keepMirror(custodia, mirror, controller.signal).catch((error: unknown) => {
    if (error !== done) throw error;
  });
}

/** Without what changes by other records without an event of this one, and what events never embed. */
const comparable = (record: object) => ({
  ...record,
  ...{ services_count: 0, has_risks: false, last_contact: null, credentials: null },
});

async function expectEqual({ records }: Mirror): Promise<void> {
  const present = [...(await services()), ...(await all(writer.clients.list()))];
  const kept = new Map([...records].map(([id, { record }]) => [id, comparable(record)]));
  expect(kept).toEqual(new Map(present.map((record) => [record.id, comparable(record)])));
}

it('is equal in the end, and goes on where it was', async () => {
  const mirror: Mirror = { cursor: undefined, records: new Map() };
  await keptWhileOthersWrite(mirror, 12);
  await expectEqual(mirror);
  const { cursor } = mirror;
  await keptWhileOthersWrite(mirror, 3);
  await expectEqual(mirror);
  expect(mirror.cursor).not.toBe(cursor);
});

it('is read anew where its cursor has expired', async () => {
  const mirror: Mirror = { cursor: 'A'.repeat(32), records: new Map([['gone', { version: 9, record: {} }]]) };
  const expired = (path: string) => (path.endsWith('/events') ? refusal('cursor-expired', 410) : undefined);
  await expect(keptWhileOthersWrite(mirror, 0, expired)).rejects.toBeInstanceOf(CursorExpiredError);
  await keptWhileOthersWrite(mirror, 2);
  await expectEqual(mirror);
});
