import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { freshDirectory } from '../support/directory.ts';

/** Errors of commands before they begin: for wrong flags, and for a Node that is too old. */

const ROOT = join(import.meta.dirname, '../..');

const run = (...args: readonly string[]) =>
  new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });

it.each([
  ['fuzz', '--reqests', '5'],
  ['soak', '--runs', '0'],
  ['bench', 'pages', '--smal'],
  ['seed', '--url', 'https://api.example.org'],
  ['test:dates', 'tomorrow'],
] as const)(
  'a mistake in the flags of npm run %s, %s, is said in one line, with exit code 2',
  async (script, ...flags) => {
    const [program, ...args] = manifest.scripts[script].split(' ');
    expect(program).toBe('node');
    const stderr = expect.stringMatching(/^error: .*\n$/);
    expect(await run(...args, ...flags)).toEqual({ code: 2, stdout: '', stderr });
  },
);

describe('before a program', () => {
  const runIn = async (version: string) => {
    const directory = await freshDirectory();
    const [fake = '', program = ''] = ['fake.cjs', 'program.cjs'].map((name) => join(directory, name));
    await writeFile(fake, `Object.defineProperty(process, 'version', { value: '${version}' })`);
    await writeFile(program, `console.log('it ran')`);
    return run('-r', fake, '-r', join(ROOT, 'bin/node-version.cjs'), program);
  };

  it('a Node that cannot run it is refused in one line; the one that npm ci brings runs it', async () => {
    const sentence = /^Custodia needs Node 24 or later here, and this is v20\.20\.2: npm ci brings one for Linux .*\n$/;
    expect(await runIn('v20.20.2')).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) });
    expect(await runIn('v24.0.0')).toEqual({ code: 0, stdout: 'it ran\n', stderr: '' });
  });
});
