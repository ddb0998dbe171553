import { expect, it } from 'vitest';
import { freshDirectory } from '../support/directory.ts';
import { checks } from './generated/checks.ts';
import { useLocalApi } from './use-local-api.ts';

/** What `npm run check:clients` does without a network: types made anew from the document compile, and do the README's tour. */

const api = useLocalApi();

it('TypeScript made from the document compiles and does the tour', async () => {
  const [typescript] = checks;
  expect(typescript?.name).toContain('openapi-typescript');
  await typescript?.run(await freshDirectory(), api);
});
