import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { CpuBound } from './cpu-bound.ts';
import { fuzz } from './fuzz.ts';

/** A small part of `npm run fuzz`, the same every time. */

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it('a request that keeps the service busy is told from one that does not', async () => {
  const busy = (milliseconds: number) => async () => {
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < milliseconds * 1000) for (let turn = 0; turn < 1e5; turn++);
  };
  const bound = await CpuBound.measured(busy(1), busy(10), 1_000_000);
  expect(await bound.excess(1_000, busy(20))).toBeUndefined();
  expect(await bound.excess(1_000, busy(200))).toMatch(/^took \d{3,4} ms of CPU time/);
  expect(await bound.excess(10_000_000, busy(200))).toBeUndefined();
});

it('generated requests get documented answers, and never a 5xx', async () => {
  const platform = { token: await api.platformToken() };
  const report = await fuzz({ url: api.url, platform, seed: 20_261_120, maxRequests: 600, maxSeconds: 3_600 });
  expect(report.findings).toEqual([]);
  expect(report.sent).toBeGreaterThanOrEqual(600);
  // Most of it must get past the first checks to be worth anything.
  expect(report.succeeded.size).toBeGreaterThan(25);
});
