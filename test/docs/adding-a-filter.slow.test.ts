import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXTENT } from '../support/extent.ts';
import { listening } from '../support/listening.ts';
import { copyRelease, ROOT } from './copy.ts';

/**
 * Carries out `docs/adding-a-filter.md`: its changes in a copy of the repository, and the lines of the trial beside this
 * test in a shell, with the output that they show.
 */

const LONG = 600_000;

let page: string;
let trial: string;
let directory: string;
beforeAll(async () => {
  page = await readFile(join(ROOT, 'docs/adding-a-filter.md'), 'utf8');
  trial = await readFile(join(import.meta.dirname, 'adding-a-filter.md'), 'utf8');
  directory = await mkdtemp(join(tmpdir(), 'custodia-releases-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The section of the page with this title. */
const section = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

/** The blocks of a language, one after the other. */
const blocks = (text: string, language: string): string[] =>
  Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')), ([, block = '']) => block);

/** Makes the changes of a section in a copy. */
async function change(copy: string, title: string): Promise<number> {
  const changes = Array.from(section(title).matchAll(/^`([\w/.]+)`:\n\n```diff\n(.*?)^```$/gms));
  for (const [, file = '', diff = ''] of changes) {
    const lines = diff.split('\n').slice(0, -1);
    const side = (mark: '+' | '-'): string =>
      lines.flatMap((line) => (line.startsWith(mark) || line.startsWith(' ') ? [`${line.slice(1)}\n`] : [])).join('');
    const text = await readFile(join(copy, file), 'utf8');
    expect(text.split(side('-')), file).toHaveLength(2);
    await writeFile(
      join(copy, file),
      text.replace(side('-'), () => side('+')),
    );
  }
  return changes.length;
}

/** Runs lines in a shell, whose servers end with it. It does not see variables of this test run. */
async function run(lines: string): Promise<string> {
  const { PATH, HOME, JAVA_HOME } = process.env;
  const env = { PATH, HOME, ...(JAVA_HOME === undefined ? {} : { JAVA_HOME }) };
  const script = `trap 'kill $(jobs -p) || true' EXIT\n${lines}`;
  const args = ['--norc', '-ex', '-o', 'pipefail', '-c', script];
  return (await promisify(execFile)('bash', args, { env, timeout: 300_000 })).stdout;
}

/** Free ports, all different: they are found at the same time. */
async function freePorts(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const urls = await Promise.all(servers.map(listening));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return urls.map((url) => new URL(url).port);
}

it.skipIf(EXTENT !== 'nightly')(
  'a filter that a release adds answers exact totals before and after its index is built, while others write',
  async () => {
    const after = await copyRelease(ROOT, join(directory, 'after'));
    expect(await change(after, 'The release')).toBe(2);

    const ports = await freePorts(3);
    const lines = blocks(trial, 'bash')
      .join('')
      .replaceAll(/\b300([124])\b/g, (_, digit) => String(ports['124'.indexOf(digit)]))
      .replace(/^BEFORE=.*$/m, () => `BEFORE='${ROOT}' AFTER='${after}'`);
    expect(await run(lines)).toBe(blocks(trial, 'text').join(''));
  },
  LONG,
);
