import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../infra/settings.ts';
import { accessIn } from './access.ts';
import { differing, normalForm, textOf } from './normal-form.ts';
import { PROFILES, stageOf, synthesize } from './synthesize.ts';

/**
 * What is deployed, to be reviewed with the change that causes it: `npx vitest run snapshot --update` writes `snapshots/`. What a snapshot cannot say is tested
 * beside it: who may do what, when an alarm rings, what an upgrade replaces, and what must never be otherwise.
 */

it('a stage as it is by default', async () => {
  await expect(textOf(normalForm(synthesize()))).toMatchFileSnapshot('snapshots/default.txt');
});

describe('a stage', () => {
  it.each(['everything', 'small'] as const)('of the profile %s, as far as it differs from that', async (name) => {
    const form = differing(normalForm(synthesize({ context: PROFILES[name] })), normalForm(synthesize()));
    await expect(textOf(form)).toMatchFileSnapshot(`snapshots/${name}.txt`);
  });
});

it('who may do what, by the policies of all roles', async () => {
  await expect(accessIn(stageOf(synthesize()))).toMatchFileSnapshot('snapshots/access.txt');
});

it('every setting is set in one of them', () => {
  const set = new Set(Object.values(PROFILES).flatMap(Object.keys));
  // Names, what a profile chooses, and what has tests of its own.
  const others = ['stage'];
  const tested = ['deletionProtection', 'terminationProtection', 'gatewayLogRole'];
  expect(SETTINGS.filter((name) => !set.has(name)).toSorted()).toEqual([...others, ...tested].toSorted());
});
