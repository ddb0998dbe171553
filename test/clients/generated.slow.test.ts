import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { checks } from './generated/checks.ts';

/** Of `npm run check:clients` what needs no network: types made anew from the document compile, and do the README's tour. */

describe('TypeScript made from the document', () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it('compiles and does the tour', async () => {
    const [typescript] = checks;
    const folder = mkdtempSync(join(tmpdir(), 'custodia-clients-'));
    try {
      await typescript?.run(folder, api);
      expect(typescript?.name).toContain('openapi-typescript');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
