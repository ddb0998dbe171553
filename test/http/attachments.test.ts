import { createHash, randomBytes } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { RequestSession, Tenant } from '#table';
import { dispositionOf } from '../../functions/tickets/attachments/disposition.ts';
import { deleteObject } from '../../functions/tickets/attachments/objects.ts';
import { settleUploads } from '../../functions/tickets/attachments/state/settle.ts';
import { prepared } from '../support/prepared.ts';
import { newTenant } from '../support/tenant-calls.ts';
import { newMessage, newTicket, TICKETS } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();
const acme = prepared(() => newTenant(api));
const rival = prepared(() => newTenant(api));
afterEach(() => {
  vi.unstubAllEnvs();
});

interface Announced {
  readonly id: string;
  readonly upload: { readonly url: string; readonly headers: Record<string, string>; readonly expires_at: string };
}

const fileOf = (bytes: string | Buffer, more: object = {}) => ({
  name: 'a.txt',
  media_type: 'text/plain',
  size: Buffer.byteLength(bytes),
  sha256: createHash('sha256').update(bytes).digest('hex'),
  ...more,
});
const put = ({ upload }: Announced, bytes: string, headers = upload.headers) =>
  fetch(upload.url, { method: 'PUT', headers, body: bytes });
const newPath = async () => `${TICKETS}/${(await acme.create(TICKETS, newTicket())).id}/attachments`;
const announce = async (path: string, bytes: string, more?: object): Promise<Announced> =>
  (await acme.create(path, fileOf(bytes, more))) as unknown as Announced;
async function attach(path: string, bytes: string, more?: object): Promise<Announced> {
  const announced = await announce(path, bytes, more);
  expect((await put(announced, bytes)).status).toBe(200);
  expect((await acme.ask('POST', `${path}/${announced.id}/complete`)).status).toBe(200);
  return announced;
}

/** Settles the uploads of an organization, as it is done an hour later. */
async function settleAnHourLater(orgId: string): Promise<void> {
  const tenantAt = (clock: () => number) => Tenant.ofOperator(orgId, RequestSession.ofEnvironment(10_000, clock));
  const now = tenantAt(Date.now);
  const hourLater = tenantAt(() => Date.now() + 3_660_000);
  for (let isSettled = false; !isSettled; ) isSettled = await settleUploads(hourLater, (key) => deleteObject(now, key));
}

const hasObject = async ({ upload }: Announced) => {
  const { status } = await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: 'hello' });
  return status === 412;
};

it('is announced, uploaded, completed, listed, downloaded and deleted', async () => {
  const path = await newPath();
  const announced = await announce(path, 'hello', { name: 'Überweisung "1".txt', is_internal: true });
  const item = `${path}/${announced.id}`;
  const { upload, ...fields } = announced;
  expect(fields).toMatchObject({ size: 5, is_internal: true, uploaded_at: null });
  expect(upload.headers).toEqual({ 'x-amz-checksum-sha256': expect.any(String), 'if-none-match': '*' });
  expect(await acme.read(item)).toEqual(fields);
  const early = await acme.ask('POST', `${item}/complete`);
  expect([early.status, early.body.detail]).toEqual([409, expect.stringContaining('have not arrived')]);
  expect((await put(announced, 'hello')).status).toBe(200);
  expect(await acme.read(path)).toEqual({ data: [] });

  const both = await Promise.all([1, 2].map(() => acme.ask('POST', `${item}/complete`)));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  const completed = { ...fields, uploaded_at: expect.any(String) };
  expect(both.map(({ body }) => body)).toEqual([completed, both[0]?.body]);
  expect((await put(announced, 'hello')).status).toBe(412);
  expect(await acme.read(path)).toEqual({ data: [completed] });

  const { download } = (await acme.read(item)) as unknown as { download: { url: string } };
  const got = await fetch(download.url);
  expect([await got.text(), got.headers.get('content-type')]).toEqual(['hello', 'application/octet-stream']);
  expect(got.headers.get('content-disposition')).toBe(dispositionOf('Überweisung "1".txt'));
  expect((await acme.ask('DELETE', item)).status).toBe(204);
  expect((await fetch(download.url)).status).toBe(404);
  for (const [method, at] of [
    ['GET', item],
    ['DELETE', item],
    ['POST', `${item}/complete`],
  ] as const)
    expect([method, (await acme.ask(method, at)).status]).toEqual([method, 404]);
  expect(await acme.read(path)).toEqual({ data: [] });
  expect((await acme.ask('DELETE', path.replace('/attachments', ''))).status).toBe(204);
});

it('is deleted in the version that If-Match names: its own, not that of the ticket', async () => {
  const path = await newPath();
  const ticket = path.replace('/attachments', '');
  for (const status of ['pending', 'closed']) expect((await acme.ask('PATCH', ticket, { status })).status).toBe(200);
  for (const { id } of [await announce(path, 'hello'), await attach(path, 'hello')]) {
    const tag = (await acme.ask('GET', `${path}/${id}`)).headers.get('etag') ?? '';
    const remove = async (tag: string) =>
      (await acme.ask('DELETE', `${path}/${id}`, undefined, { headers: { 'if-match': tag } })).status;
    expect([await remove('"3.other"'), await remove(tag)]).toEqual([412, 204]);
  }
});

it('is the ticket’s and the tenant’s alone', async () => {
  const [path, other] = [await newPath(), await newPath()];
  const { id } = await attach(path, 'hello');
  for (const at of [`${other}/${id}`, `${path}/${'0'.repeat(8)}${id.slice(8)}`])
    for (const method of ['GET', 'DELETE'] as const) expect((await acme.ask(method, at)).status).toBe(404);
  for (const [method, at, body] of [
    ['GET', path, undefined],
    ['POST', path, fileOf('x')],
    ['GET', `${path}/${id}`, undefined],
    ['POST', `${path}/${id}/complete`, undefined],
    ['DELETE', `${path}/${id}`, undefined],
  ] as const)
    expect([method, at, (await rival.ask(method, at, body)).status]).toEqual([method, at, 404]);
  expect((await acme.ask('GET', `${path}/${id}`)).status).toBe(200);
});

it.each([
  ['name', 'a/b.txt'],
  ['name', 'a\\b.txt'],
  ['name', 'a\r\nSet-Cookie: b'],
  ['name', 'ü'.repeat(128)],
  ['name', ' '],
  ['media_type', 'text'],
  ['media_type', 'text/plain; charset=utf-8'],
  ['media_type', 'text/plain\n'],
  ['size', 0],
  ['size', 25 * 1_048_576 + 1],
  ['sha256', 'A'.repeat(64)],
  ['sha256', 'a'.repeat(63)],
])('refuses %s %j', async (field, value) => {
  const { status, body } = await acme.ask('POST', await newPath(), fileOf('hello', { [field]: value }));
  expect([status, (body.errors as { pointer: string }[]).map(({ pointer }) => pointer)]).toEqual([422, [`#/${field}`]]);
});

it('takes only the bytes that were announced', async () => {
  const path = await newPath();
  const announced = await announce(path, 'hello');
  expect((await put(announced, 'HELLO')).status).toBe(400);
  expect((await put(announced, 'hello, world')).status).toBe(403);
  expect((await put(announced, 'hello', {})).status).toBe(403);
  expect((await acme.ask('POST', `${path}/${announced.id}/complete`)).status).toBe(409);
});

it('is dropped where it was not completed within an hour, with its bytes', async () => {
  const path = await newPath();
  const [left, gone, kept] = [
    await announce(path, 'hello'),
    await announce(path, 'hello'),
    await attach(path, 'hello'),
  ];
  expect((await put(left, 'hello')).status).toBe(200);
  expect((await acme.ask('DELETE', `${path}/${gone.id}`)).status).toBe(204);
  // Whoever has its URL uploads it all the same.
  expect((await put(gone, 'hello')).status).toBe(200);
  await settleAnHourLater(acme.orgId);
  expect((await acme.ask('POST', `${path}/${left.id}/complete`)).status).toBe(404);
  expect(await Promise.all([left, gone, kept].map(hasObject))).toEqual([false, false, true]);
});

it('keeps an organization within its quota', async () => {
  const path = await newPath();
  vi.stubEnv('ATTACHMENT_QUOTA', '1');
  const { status, body } = await acme.ask('POST', path, fileOf(randomBytes(12)));
  expect([status, body.detail]).toEqual([409, expect.stringContaining('no room for 12 more')]);
});

it('goes with its ticket, once that cannot be restored any more', async () => {
  const path = await newPath();
  const ticket = path.replace('/attachments', '');
  await acme.create(`${ticket}/messages`, newMessage());
  const files = [await attach(path, 'hello'), await attach(path, 'hello')];
  expect((await acme.ask('DELETE', ticket)).status).toBe(204);
  expect((await acme.ask('GET', `${path}/${files[0]?.id}`)).status).toBe(404);
  await settleAnHourLater(acme.orgId);
  expect(await Promise.all(files.map(hasObject))).toEqual([true, true]);
  expect((await acme.ask('POST', `${ticket}/restore`)).status).toBe(200);
  expect((await acme.read(path)).data).toHaveLength(2);
  expect((await acme.ask('DELETE', ticket)).status).toBe(204);
  expect((await acme.ask('DELETE', `/api/v1/trash/${ticket.split('/').at(-1)}`)).status).toBe(204);
  await settleAnHourLater(acme.orgId);
  expect(await Promise.all(files.map(hasObject))).toEqual([false, false]);
});

it('names a download so that no name can end the header', () => {
  expect(dispositionOf('a"; filename=b\r\n.txt')).toBe(
    `attachment; filename="a__ filename_b__.txt"; filename*=UTF-8''a%22%3B%20filename%3Db%0D%0A.txt`,
  );
  expect(dispositionOf(`(é)*'`)).toBe(
    `attachment; filename="____ _"; filename*=UTF-8''%28%C3%A9%29%2A%27`.replace('____ _', '_____'),
  );
});
