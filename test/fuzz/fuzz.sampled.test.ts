import { expect, it } from 'vitest';
import { byExtent } from '../support/extent.ts';
import { useApi } from '../support/use-api.ts';
import { fuzz } from './fuzz.ts';

/** A small part of `npm run fuzz`, the same every time. */

const api = useApi();

it('generated requests get documented responses, and never a 5xx', async () => {
  const maxRequests = byExtent({ sample: 200, extended: 400, nightly: 2_000 });
  const platform = { token: await api.platformToken() };
  const report = await fuzz({ url: api.url, platform, seed: 20_261_120, maxRequests, maxSeconds: 3_600 });
  expect(report.findings).toEqual([]);
  expect(report.sent).toBeGreaterThanOrEqual(maxRequests);
  // Most of it must get past the first checks to be worth anything.
  expect(report.succeeded.size).toBeGreaterThan(15);
});
