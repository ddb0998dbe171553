import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshDirectory } from '../support/directory.ts';

/** `bin/node-version.cjs`: what somebody with a Node that is too old is told. */

const SCRIPT = join(import.meta.dirname, '../../bin/node-version.cjs');

describe('before a program', () => {
  const run = async (version: string) => {
    const directory = await freshDirectory();
    const [fake, program] = ['fake.cjs', 'program.cjs'].map((name) => join(directory, name)) as [string, string];
    await writeFile(fake, `Object.defineProperty(process, 'version', { value: '${version}' })`);
    await writeFile(program, `console.log('it ran')`);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', fake, '-r', SCRIPT, program], {
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };

  it('a Node that cannot run it is refused in one line', async () => {
    expect(await run('v20.20.2')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Custodia needs Node 24 or later here, and this is v20\.20\.2: npm ci brings one for Linux .*\n$/,
      ),
    });
  });

  it('the one that npm ci brings runs it', async () => {
    expect(await run('v24.0.0')).toEqual({ status: 0, stdout: 'it ran\n', stderr: '' });
  });
});
