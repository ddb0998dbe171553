import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { Outcome } from '../../functions/events/deliveries/ports.ts';
import { answerTo } from '../../functions/events/endpoints/proof.ts';
import type { OrgAccess } from '../support/api.ts';
import { DeliveryWorld, type Received, Receiver } from '../support/delivery-world.ts';
import { type Key, keyMadeBy, rotate } from '../support/keys.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Nothing is delivered to a receiver that has not proved that it wants it, nor by the word of a key that was cut off.
 */

const api = useApi({ authorizerTtlSeconds: 0 });
const PATH = '/api/v1/webhook-endpoints';
let world: DeliveryWorld;
beforeAll(() => {
  world = new DeliveryWorld(api.table);
});

interface Scene {
  readonly org: OrgAccess;
  readonly calls: Calls;
  readonly receiver: Receiver;
  readonly id: string;
  readonly secret: string;
}

const newReceiver = (): Receiver => {
  const receiver = new Receiver();
  world.receivers.set(receiver.url, receiver);
  return receiver;
};

/** An endpoint, and a client that was created after it. */
async function scene(fields = {}, by?: { readonly org: OrgAccess; readonly calls: Calls }): Promise<Scene> {
  const org = by?.org ?? (await api.orgToken());
  world.tenants.add(org.orgId);
  const calls = by?.calls ?? callsOf(api, org.token);
  const receiver = newReceiver();
  const made = await calls.create(PATH, { url: receiver.url, event_types: ['client.created'], ...fields });
  await callsOf(api, org.token).create('/api/v1/clients', { name: 'Ada' });
  return { org, calls, receiver, id: made.id, secret: String(made.secret) };
}

async function run({ org }: Pick<Scene, 'org'>): Promise<void> {
  world.now = Date.now();
  await world.queue.send([{ tenant: org.orgId }]);
  await world.run();
  expect(world.failures).toEqual([]);
}

const challengeIn = ({ events: [event] }: Received): string =>
  (event as { readonly challenge?: string } | undefined)?.challenge ?? '';
/** As `send.ts` does with the body of a response. */
const saying =
  (status: number, body: (received: Received) => string) =>
  (received: Received): Outcome => ({
    status,
    isExpected: received.expects?.includes(body(received)) ?? false,
  });
const proving = (secret: string) => saying(200, (received) => answerTo(challengeIn(received), secret));
const statusOf = async ({ calls, id }: Pick<Scene, 'calls' | 'id'>) => {
  const { status, status_reason } = await calls.read(`${PATH}/${id}`);
  return [status, status_reason];
};
const typesAt = ({ receiver }: Scene) => receiver.calls.flatMap(({ events }) => events.map(({ type }) => type));

it.each([1, 10])('a receiver that answers the ping gets all that waits, in batches of %i', async (batch_size) => {
  const it = await scene({ batch_size });
  expect(await statusOf(it)).toEqual(['unverified', 'ping_pending']);
  it.receiver.responds = proving(it.secret);
  await run(it);
  expect(await statusOf(it)).toEqual(['active', null]);
  expect(typesAt(it)).toEqual(['webhook_endpoint.pinged', 'client.created']);
  expect(it.receiver.calls.map(({ expects }) => expects?.length)).toEqual([1, undefined]);
});

it.each([
  ['an echo', saying(200, ({ body }) => body), 'ping_answer_wrong'],
  ['the challenge alone', saying(200, challengeIn), 'ping_answer_wrong'],
  ['another secret', proving(`whsec_${Buffer.alloc(32).toString('base64')}`), 'ping_answer_wrong'],
  ['an empty body', () => ({ status: 204 }), 'ping_answer_wrong'],
  ['a failure', () => ({ status: 500 }), 'ping_failed'],
  ['no response', () => ({ error: 'timeout' as const }), 'ping_failed'],
  ['410', () => ({ status: 410 }), 'ping_failed'],
])('%s proves nothing: one call, whatever is woken, and nothing is lost', async (_, responds, reason) => {
  const it = await scene();
  it.receiver.responds = responds;
  await run(it);
  await run(it);
  expect(await statusOf(it)).toEqual(['unverified', reason]);
  expect(typesAt(it)).toEqual(['webhook_endpoint.pinged']);
  expect((await it.calls.read(`${PATH}/${it.id}/attempts`)).total).toBe(1);

  it.receiver.responds = proving(it.secret);
  expect((await it.calls.ask('POST', `${PATH}/${it.id}/ping`)).status).toBe(202);
  await run(it);
  expect(await statusOf(it)).toEqual(['active', null]);
  // The ping that was asked for is an event, too.
  expect(typesAt(it).slice(1)).toEqual(['webhook_endpoint.pinged', 'client.created', 'webhook_endpoint.pinged']);
  const challenges = it.receiver.calls.slice(0, 2).map(challengeIn);
  expect(new Set(challenges).size).toBe(2);
});

it('a person verifies with the code of the last ping, and with no other', async () => {
  const it = await scene();
  await run(it);
  const verify = (code: string, by = it.calls) => by.ask('POST', `${PATH}/${it.id}/verify`, { code });
  const [code = ''] = it.receiver.calls.map(challengeIn);
  for (const wrong of [`${code}=`, code.slice(1), code.toUpperCase(), answerTo(code, it.secret)])
    expect((await verify(wrong)).status).toBe(422);
  const weak = await keyMadeBy(api, it.calls, { permissions: ['webhook-endpoints:write'] });
  expect((await verify(code, weak)).status).toBe(403);
  expect((await verify(code)).body).toMatchObject({ status: 'active', status_reason: null });
  expect((await verify(code)).status).toBe(409);
  await run(it);
  expect(typesAt(it)).toEqual(['webhook_endpoint.pinged', 'client.created']);
});

it('another address needs another proof, also after a pause, and an old code is refused', async () => {
  const it = await scene();
  it.receiver.responds = proving(it.secret);
  await run(it);
  const [first = ''] = it.receiver.calls.map(challengeIn);
  const victim = newReceiver();
  const change = (body: object) => it.calls.ask('PATCH', `${PATH}/${it.id}`, body);
  await change({ status: 'paused' });
  expect((await change({ url: victim.url })).body.status).toBe('paused');
  expect((await change({ status: 'active' })).body).toMatchObject({
    status: 'unverified',
    status_reason: 'ping_pending',
  });
  expect((await it.calls.ask('POST', `${PATH}/${it.id}/verify`, { code: first })).status).toBe(422);
  await run(it);
  expect(victim.calls).toHaveLength(1);
  expect(await statusOf(it)).toEqual(['unverified', 'ping_answer_wrong']);
  expect((await change({ status: 'unverified', description: 'Same' })).status).toBe(200);
  await change({ status: 'paused' });
  expect((await change({ status: 'unverified' })).status).toBe(422);
});

it('an answer from an address that was changed meanwhile verifies nothing', async () => {
  const it = await scene();
  const victim = newReceiver();
  it.receiver.responds = async (received) => {
    await it.calls.ask('PATCH', `${PATH}/${it.id}`, { url: victim.url });
    return proving(it.secret)(received);
  };
  await run(it);
  await run(it);
  expect(victim.calls.map(({ events }) => events[0]?.type)).toEqual(['webhook_endpoint.pinged']);
  expect(await statusOf(it)).toEqual(['unverified', 'ping_answer_wrong']);
});

it('a tenant has ten pings in an hour, by creations, changes and pings together', async () => {
  vi.stubEnv('MAX_WEBHOOK_PINGS', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  // Pings are counted by hours of the clock: none ends meanwhile.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  const it = await scene();
  const ids: string[] = [];
  for (let made = 0; made < 8; made++) ids.push((await it.calls.create(PATH, { url: it.receiver.url })).id);
  const change = (url: string) => it.calls.ask('PATCH', `${PATH}/${it.id}`, { url });
  expect((await change(`${it.receiver.url}/2`)).body).toMatchObject({ status_reason: 'ping_pending' });
  expect((await change(`${it.receiver.url}/3`)).body).toMatchObject({ status_reason: 'not_pinged' });
  expect(await it.calls.create(PATH, { url: it.receiver.url })).toMatchObject({ status_reason: 'not_pinged' });
  const refused = await it.calls.ask('POST', `${PATH}/${ids[0]}/ping`);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await run(it);
  // That of an address which was changed before it was called was never sent.
  expect(it.receiver.calls).toHaveLength(8);
});

it.each([
  ['its tokens are ended', (by: Calls, key: Key) => by.ask('POST', `${key.path}/revoke-tokens`)],
  ['its secret is replaced', (by: Calls, key: Key) => rotate(by, key, { previous_valid_for: 0 })],
  ['it is inactive', (by: Calls, key: Key) => by.ask('PATCH', key.path, { status: 'inactive' })],
  ['it may do less', (by: Calls, key: Key) => by.ask('PATCH', key.path, { permissions: ['clients:read'] })],
])('what a key has confirmed for others is paused and named when %s, until another confirms it', async (_, cutOff) => {
  const org = await api.orgToken();
  const owner = callsOf(api, org.token);
  const key = await keyMadeBy(api, owner, { permissions: null });
  const theirs = await scene({ integration_id: org.integrationId }, { org, calls: key });
  const own = await scene({}, { org, calls: owner });
  for (const each of [theirs, own]) each.receiver.responds = proving(each.secret);
  await run(theirs);
  expect([await statusOf({ ...theirs, calls: owner }), await statusOf(own)]).toEqual(Array(2).fill(['active', null]));

  const { status, body } = await cutOff(owner, key);
  expect(status).toBeLessThan(300);
  expect(body.paused_endpoints).toEqual([theirs.id]);
  const before = theirs.receiver.calls.length;
  await owner.create('/api/v1/clients', { name: 'Eve' });
  await run(theirs);
  expect(theirs.receiver.calls).toHaveLength(before);
  expect(await statusOf({ ...theirs, calls: owner })).toEqual(['paused', 'confirmer_cut_off']);
  expect(await statusOf(own)).toEqual(['active', null]);
  await owner.ask('PATCH', `${PATH}/${theirs.id}`, { status: 'active' });
  await run(theirs);
  expect(theirs.receiver.calls.length).toBeGreaterThan(before);
});

it('a rotation that leaves the secret before pauses nothing', async () => {
  const { org, calls } = await scene();
  const path = `/api/v1/integrations/${org.integrationId}`;
  expect((await rotate(calls, { path }, {})).body.paused_endpoints).toEqual([]);
});

it('path and query of an address are shown only to who may change it, in events of records too', async () => {
  const it = await scene();
  const url = `${it.receiver.url}/path?key=word`;
  await it.calls.ask('PATCH', `${PATH}/${it.id}`, { url });
  const permissions = ['webhook-endpoints:read', 'events:read'];
  const reader = await keyMadeBy(api, it.calls, { permissions });
  const FEED = '/api/v1/events?types=webhook_endpoint.updated&expand=record';
  const seenBy = async (by: Calls) => [
    (await by.read(`${PATH}/${it.id}`)).url,
    ((await by.read(PATH)).data as { url: string }[])[0]?.url,
    ((await by.read(FEED)).data as { record: { url: string } }[]).at(-1)?.record.url,
  ];
  expect(await seenBy(it.calls)).toEqual([url, url, url]);
  expect(await seenBy(reader)).toEqual(Array(3).fill(new URL(url).origin));
});
