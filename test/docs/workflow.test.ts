import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import renovate from '../../renovate.json' with { type: 'json' };

const workflow = readFileSync(join(import.meta.dirname, '../../.github/workflows/ci.yml'), 'utf8');

/** What stands behind a key, by line. */
const values = (key: string): string[] =>
  Array.from(workflow.matchAll(new RegExp(`^ *(?:- )?${key}: (.*)$`, 'gm')), ([, value = '']) => value);

it('GitHub runs what .ci/run runs, and scans packages, with the rights to read and actions of one commit each', () => {
  expect(values('run')).toEqual(['.ci/run', expect.stringMatching(/^npm ci /), 'npm run check:packages -- --required']);
  expect(values('uses').length).toBeGreaterThan(0);
  expect(values('uses').filter((action) => !/^actions\/[a-z-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual(
    [],
  );
  // Renovate keeps the commits.
  expect(renovate.extends).toContain('helpers:pinGitHubActionDigests');
  expect(values('contents')).toEqual(['read']);
});
