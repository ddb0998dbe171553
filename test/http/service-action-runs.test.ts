import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse, JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { type ApiDriver, apiDriverOf, NOWHERE, pointersOf } from './api-driver.ts';

/** Service actions that runners carry out: who gets which, and what becomes of it. */

const ACTIONS = '/service-actions';
const api = useApi();
const org = prepared(() => api.orgToken());
let acme: ApiDriver;
let service: string;

beforeAll(async () => {
  acme = apiDriverOf(api, org.token);
  service = (await acme.service({ client_id: (await acme.client()).id })).id;
});

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

const ask = (fields: JsonBody = {}) =>
  acme.create(ACTIONS, { service_id: service, action_type: 'restart', run: true, ...fields });

const claim = async (...types: string[]) => {
  const { status, body } = await acme.post(`${ACTIONS}/claim`, { types, lease_seconds: 60 });
  expect(status).toBe(200);
  const { actions, lease } = body as { actions: (JsonBody & { id: string })[]; lease: string | null };
  return { action: actions[0] ?? null, lease };
};
const claimedId = async (...types: string[]) => (await claim(...types)).action?.id;

const at = (id: string | undefined, verb: string) => `${ACTIONS}/${id}/${verb}`;
const outcome = ({ status, body }: ApiResponse) => [status, status === 200 ? body.status : body.detail];
const heartbeat = (id: string | undefined, lease: string | null) =>
  acme.post(at(id, 'heartbeat'), { lease, progress: 40 });
const finish = (id: string | undefined, lease: string | null, fields: JsonBody = {}) =>
  acme.post(at(id, 'finish'), { lease, status: 'completed', ...fields });

/** Another integration of the organization, with these permissions alone. */
async function callerWith(...permissions: string[]): Promise<ApiDriver> {
  const { body } = await acme.post('/integrations', { app_code: randomUUID(), display_name: 'Limited', permissions });
  return apiDriverOf(api, await api.login(String(body.app_code), String(body.secret)));
}

describe('an action for a runner', () => {
  it('is claimed, extended and finished, with no event but the first and the last', async () => {
    const { id, ...asked } = await ask({ parameters: { graceful: true } });
    expect(asked).toMatchObject({ status: 'pending', run: true, attempts: 0, leased_until: null, finished_at: null });
    const { action, lease } = await claim('deploy', 'restart');
    expect(action).toMatchObject({ id, status: 'running', attempts: 1, parameters: { graceful: true } });
    expect(await claim('restart')).toEqual({ action: null, lease: null });
    const extended = await heartbeat(id, lease);
    expect(extended.body).toMatchObject({ status: 'running', progress: 40 });
    expect(String(extended.body.leased_until) >= String(action?.leased_until)).toBe(true);
    const result = { result: { seconds: 12 }, log: 'done' };
    const finished = await finish(id, lease, result);
    const { body: read } = await acme.get(`${ACTIONS}/${id}`);
    expect([finished.status, finished.body]).toEqual([200, read]);
    expect(read).toMatchObject({ status: 'completed', progress: 100, ...result, leased_until: null });
    // A reply was lost: the same again is no change.
    const repeated = await finish(id, lease, result);
    expect([repeated.body, repeated.headers.get('etag')]).toEqual([read, finished.headers.get('etag')]);
    expect(outcome(await finish(id, lease, { status: 'failed' }))).toEqual([409, expect.stringMatching(/has ended/)]);
    expect(outcome(await heartbeat(id, lease))).toEqual([409, expect.stringMatching(/has ended/)]);
    const { body: events } = await acme.get(`/events?record_id=${id}&expand=record`);
    expect(events.data).toMatchObject([
      { type: 'service_action.created' },
      {
        ...{ type: 'service_action.updated', version: 4, record: read },
        changed_fields: ['finished_at', 'leased_until', 'log', 'progress', 'result', 'status'],
      },
    ]);
    expect(JSON.stringify([await acme.get(ACTIONS), events, read])).not.toMatch(/"lease"|"queued"/);
  });

  it('is given when it is due, the one that has been for the longest time first', async () => {
    const future = await ask({ scheduled_for: inSeconds(3_600) });
    const [second, first, other] = [
      await ask({ scheduled_for: inSeconds(-10) }),
      await ask({ scheduled_for: inSeconds(-20) }),
      await ask({ scheduled_for: inSeconds(-15), action_type: 'deploy' }),
    ];
    const third = await ask();
    expect(await claimedId('restart', 'deploy')).toBe(first.id);
    expect(await claimedId('restart', 'deploy')).toBe(other.id);
    expect(await claimedId('restart', 'deploy', 'restart')).toBe(second.id);
    expect(await claimedId('deploy')).toBeUndefined();
    expect(await claimedId('restart')).toBe(third.id);
    expect(await claimedId('restart')).toBeUndefined();
    expect(outcome(await acme.post(at(future.id, 'cancel'), undefined))).toEqual([200, 'cancelled']);
  });

  it('can be cancelled before and while it is carried out, and not after that', async () => {
    const [waiting, running] = [await ask({ action_type: 'wait' }), await ask({ action_type: 'run' })];
    const { lease } = await claim('run');
    for (const { id } of [waiting, running]) {
      const { body } = await acme.post(at(id, 'cancel'), undefined);
      expect(body).toMatchObject({ status: 'cancelled', finished_at: expect.any(String), leased_until: null });
      expect((await acme.post(at(id, 'cancel'), undefined)).body).toEqual(body);
    }
    expect(outcome(await finish(running.id, lease))).toEqual([
      409,
      expect.stringMatching(/has ended: it is `cancelled`/),
    ]);
    expect(await claimedId('wait', 'run')).toBeUndefined();
    const { id: entry } = await acme.create(ACTIONS, { service_id: service, action_type: 'wait', status: 'pending' });
    for (const verb of ['cancel', 'heartbeat', 'finish'])
      expect(
        (await acme.post(at(entry, verb), verb === 'cancel' ? undefined : { lease, status: 'failed' })).status,
      ).toBe(verb === 'heartbeat' ? 422 : 409);
  });

  it('is asked for and carried out by callers with the permissions for it, and by no webhook', async () => {
    const action = { service_id: service, action_type: 'restart', run: true };
    const [writer, runner] = [await callerWith('service-actions:write'), await callerWith('service-actions:run')];
    const refused = await writer.post(ACTIONS, action);
    expect([refused.status, pointersOf(refused)]).toEqual([403, ['#/run']]);
    expect((await writer.post(ACTIONS, { ...action, run: false })).status).toBe(201);
    expect((await runner.post(`${ACTIONS}/claim`, { types: ['restart'] })).body).toEqual({ actions: [], lease: null });
    expect((await runner.post(ACTIONS, action)).status).toBe(403);
    const { id } = await ask({ action_type: 'mine' });
    expect((await runner.post(at(id, 'cancel'), undefined)).status).toBe(403);
    const { lease } = (await runner.post(`${ACTIONS}/claim`, { types: ['mine'] })).body;
    for (const verb of ['heartbeat', 'finish']) {
      expect((await writer.post(at(id, verb), { lease, status: 'completed' })).status).toBe(403);
      const rival = apiDriverOf(api, (await api.orgToken()).token);
      const [foreign, missing] = [
        await rival.post(at(id, verb), { lease, ...(verb === 'finish' && { status: 'failed' }) }),
        await rival.post(at(NOWHERE, verb), { lease, ...(verb === 'finish' && { status: 'failed' }) }),
      ];
      expect([foreign.status, missing.status]).toEqual([404, 404]);
    }
    const event = await deliver(api, org, { event_type: 'service_action.created', data: action });
    expect([event.status, event.body.errors]).toMatchObject([422, [{ pointer: '#/data/run' }]]);
    expect(await claimedId('restart')).toBeUndefined();
  });

  it('is refused where it makes no sense', async () => {
    const refusals: readonly (readonly [JsonBody, string])[] = [
      [{ run: false, scheduled_for: inSeconds(1) }, '#/scheduled_for'],
      [{ run: true, status: 'failed' }, '#/status'],
      [{ run: true, progress: 3 }, '#/progress'],
      [{ run: true, scheduled_for: 'x'.repeat(1_000_000) }, '#/scheduled_for'],
    ];
    for (const [fields, pointer] of refusals) {
      const refused = await acme.post(ACTIONS, { service_id: service, action_type: 'restart', ...fields });
      expect([refused.status, pointersOf(refused)]).toEqual([422, [pointer]]);
    }
    const { id } = await ask({ action_type: 'large' });
    const { lease } = await claim('large');
    for (const [fields, pointer] of [
      [{ log: 'é'.repeat(40_000) }, '#/log'],
      [{ progress: 101 }, '#/progress'],
      [{ status: 'pending' }, '#/status'],
      [{ lease: 'x'.repeat(1_000_000) }, '#/lease'],
    ] as const) {
      const refused = await finish(id, lease, fields);
      expect([refused.status, pointersOf(refused)]).toEqual([422, [pointer]]);
    }
    expect((await finish(id, lease, { log: 'x'.repeat(65_536) })).status).toBe(200);
    for (const types of [[], ['Restart'], Array.from({ length: 11 }, () => 'a'), ['x'.repeat(1_000_000)]])
      expect((await acme.post(`${ACTIONS}/claim`, { types })).status).toBe(types[0]?.length === 1_000_000 ? 413 : 422);
  });
});

describe('claims at once', () => {
  it('give each action to one runner, and none of them meets a failure', async () => {
    const [DUE, RUNNERS] = [20, 50];
    await Promise.all(Array.from({ length: DUE }, () => ask({ action_type: 'storm' })));
    await Promise.all(
      Array.from({ length: 40 }, (_, day) =>
        ask({ action_type: 'storm', scheduled_for: inSeconds(86_400 * (day + 1)) }),
      ),
    );
    const holders = new Map<string, string | null>();
    for (let turn = 0; turn < 20 && holders.size < DUE; turn++) {
      for (const { action, lease } of await Promise.all(Array.from({ length: RUNNERS }, () => claim('storm')))) {
        if (action === null) continue;
        expect(holders.has(action.id)).toBe(false);
        holders.set(action.id, lease);
      }
    }
    expect(holders.size).toBe(DUE);
    expect(await claimedId('storm')).toBeUndefined();
    const ended = await Promise.all([...holders].map(([id, lease]) => finish(id, lease)));
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
