import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi({ firstKey: false });
});
afterAll(() => api.close());

it('registers nothing without a token where the stage does not allow it', async () => {
  for (const body of [{ app_code: 'new-app', display_name: 'New' }, {}]) {
    const { status, headers, body: problem } = await api.request('POST', '/api/v1/integrations', { body });
    expect([status, problem.type]).toEqual([401, 'urn:problem-type:custodia:unauthorized']);
    expect(headers.get('www-authenticate')).toBe('Bearer realm="custodia"');
  }
});
