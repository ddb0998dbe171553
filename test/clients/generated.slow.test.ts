import { expect, it } from 'vitest';
import { freshDirectory } from '../support/directory.ts';
import { useApi } from '../support/use-api.ts';
import { checks } from './generated/checks.ts';

/** What `npm run check:clients` does without a network: types made anew from the document compile, and do the README's tour. */

const api = useApi();

it('TypeScript made from the document compiles and does the tour', async () => {
  const [typescript] = checks;
  expect(typescript?.name).toContain('openapi-typescript');
  await typescript?.run(await freshDirectory(), api);
});
