import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useApi } from '../support/use-api.ts';
import { expectSteps, type Step, stepsOf } from './pasted.ts';

/** The guides for callers are correct: their commands work when pasted after the README's, and print the shown output. */

const ROOT = join(import.meta.dirname, '../..');
const stepsIn = (page: string): readonly Step[] => stepsOf(readFileSync(join(ROOT, page), 'utf8'));

const [register, logIn, create] = stepsIn('README.md') as readonly [Step, Step, Step];

it('the guide to events shows its programs as they are in examples, where they are tested', () => {
  const guide = readFileSync(join(ROOT, 'docs/events.md'), 'utf8');
  for (const program of ['mirror.ts', 'receive-events.ts', 'receive_events.py']) {
    const text = readFileSync(join(ROOT, 'examples', program), 'utf8');
    expect(guide.split(`../examples/${program}`)[1]?.split(/^```.*\n/m)[1], program).toBe(text);
  }
});

describe('a guide', () => {
  const api = useApi();
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    'guides/pagination',
    'guides/errors',
    'guides/retries',
    'guides/batch',
    'guides/import',
    'guides/attachments',
    'guides/alerts',
    'guides/oauth',
    'guides/runners',
    'guides/trash-and-moves',
    'guides/people-sign-in',
    'guides/agents',
    'events',
  ])('works when pasted after the quickstart: %s', async (name) => {
    const steps = stepsIn(`docs/${name}.md`);
    expect(steps.length).toBeGreaterThan(2);
    await expectSteps([register, logIn, create, ...steps], api.url);
  });

  it('shows the budget and its end, where a stage has a small one', async () => {
    // The functions' clock stands still, or the budget would be refilled on a slow machine.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    vi.stubEnv('RATE_LIMIT', '5');
    await expectSteps([register, logIn, ...stepsIn('docs/guides/rate-limits.md')], api.url).finally(vi.useRealTimers);
  });
});
