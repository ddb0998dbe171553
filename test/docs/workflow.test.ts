import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const workflow = readFileSync(join(import.meta.dirname, '../../.github/workflows/ci.yml'), 'utf8');

/** What stands behind a key, by line. */
const values = (key: string): string[] =>
  Array.from(workflow.matchAll(new RegExp(`^ *(?:- )?${key}: (.*)$`, 'gm')), ([, value = '']) => value);

it('GitHub runs what .ci/run runs, with the rights to read and actions of one major version', () => {
  expect(values('run')).toEqual(['.ci/run']);
  expect(values('uses').filter((action) => !/^actions\/[a-z-]+@v\d+$/.test(action))).toEqual([]);
  expect(values('contents')).toEqual(['read']);
});
