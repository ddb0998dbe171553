import { describe, expect, it } from 'vitest';
import { differing, normalForm, textOf } from './normal-form.ts';
import { BROUGHT, EVERYTHING, SMALL, synthesize } from './synthesize.ts';

/**
 * What is deployed, to be reviewed with the change that causes it: `npx vitest run snapshot --update` writes
 * `snapshots/`. What a snapshot cannot
 * say is tested beside it: who may do what, when an alarm rings, what an upgrade replaces, and what may never be otherwise.
 */

it('a stage as it is by default', async () => {
  await expect(textOf(normalForm(synthesize()))).toMatchFileSnapshot('snapshots/default.txt');
});

describe('a stage', () => {
  it.each([
    ['with everything that can be set', 'everything', EVERYTHING],
    ['with little of its own', 'small', { ...SMALL, ...BROUGHT }],
  ])('%s, as far as it differs from that', async (_, name, context) => {
    const form = differing(normalForm(synthesize({ context })), normalForm(synthesize()));
    await expect(textOf(form)).toMatchFileSnapshot(`snapshots/${name}.txt`);
  });
});
