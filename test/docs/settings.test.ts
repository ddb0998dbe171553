import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../infra/settings.ts';

/** The table of settings in `docs/deployment.md` has each, with its default. */

const page = readFileSync(join(import.meta.dirname, '../../docs/deployment.md'), 'utf8');
const [, table = ''] = page.split(/^### Settings$/m);

describe('the settings of a stage', () => {
  it.each(Object.entries(settingsFrom(new App().node)))('has %s with its default', (name, standard) => {
    const row = table.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``));
    // A map of functions, empty by default, or a list of origins.
    const shown = standard instanceof Map || Array.isArray(standard) ? [...standard].join() : standard;
    expect(row).toContain(shown === undefined || shown === '' ? name : `\`${shown}\``);
  });
});
