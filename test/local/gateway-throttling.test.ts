import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { allow, fakeGateway, problemOf } from './gateway-fixture.ts';

const frozen = (): void => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
};

describe('a method that is throttled', () => {
  it('takes a burst at once, then refuses with a problem, and refills at its rate', async () => {
    frozen();
    const { send } = await fakeGateway({ throttling: { rate: 2, burst: 3 } });
    const statuses = async (count: number) => {
      const all: number[] = [];
      for (let sent = 0; sent < count; sent++) all.push((await send('GET', '/v1/things')).status);
      return all;
    };
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
    vi.advanceTimersByTime(1_000);
    expect(await statuses(3)).toEqual([200, 200, 429]);
    vi.advanceTimersByTime(60_000);
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
    const refused = await send('GET', '/v1/things');
    expect(problemOf(refused)).toBe('429 too-many-requests');
    expect(refused.headers.get('retry-after')).toBe('1');
  });

  it('is counted for itself: others go on', async () => {
    frozen();
    const { send } = await fakeGateway({ throttling: { rate: 1, burst: 1 } });
    const statuses: number[] = [];
    for (const call of [
      'GET /v1/things',
      'GET /v1/things',
      'POST /v1/things',
      'GET /v1/things/7',
      'GET /v1/things/8',
    ]) {
      const [method = '', path = ''] = call.split(' ');
      statuses.push((await send(method, path)).status);
    }
    expect(statuses).toEqual([200, 429, 200, 200, 429]);
  });

  it('asks no authorizer about what it refuses', async () => {
    frozen();
    const authorize = vi.fn(() => allow());
    const { send } = await fakeGateway({ authorize, authorizerTtlSeconds: 0, throttling: { rate: 1, burst: 1 } });
    for (const _ of Array(3)) await send('GET', '/v1/secret', { headers: ['Authorization', 'Bearer t'] });
    expect(authorize).toHaveBeenCalledTimes(1);
  });
});
