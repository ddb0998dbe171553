import { expect, it } from 'vitest';
import { readSettings } from '../../local/settings.ts';
import { startLocalApi } from '../../local/start.ts';
import { freshDirectory } from '../support/directory.ts';
import { checks } from './generated/checks.ts';

/** What `npm run check:clients` does without a network: types made anew from the document compile, and do the README's tour. */

it('TypeScript made from the document compiles and does the tour', async () => {
  const api = await startLocalApi(readSettings({ PORT: '0', DATA_DIR: ':memory:' }));
  try {
    const [typescript] = checks;
    expect(typescript?.name).toContain('openapi-typescript');
    await typescript?.run(await freshDirectory(), api);
  } finally {
    await api.close();
  }
});
