import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshDirectory } from '../support/directory.ts';

/** `bin/node-version.cjs`: what somebody with a Node that is too old is told. */

const SCRIPT = join(import.meta.dirname, '../../bin/node-version.cjs');

describe('after npm ci', () => {
  const run = (npm_config_user_agent: string) => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT], {
      env: { npm_config_user_agent },
      encoding: 'utf8',
    });
    return { status, stderr };
  };

  it.each(['npm/9.8.1 node/v18.20.8 linux x64 workspaces/false', 'npm/6.14.4 node/v8.17.0 darwin x64'])(
    'the Node of %s is refused in one line',
    (agent) => {
      expect(run(agent)).toEqual({
        status: 1,
        stderr: expect.stringMatching(/^Custodia needs Node 20 or later here, and this is v\d+\.\d+\.\d+: .*\n$/),
      });
    },
  );

  it.each(['npm/10.8.2 node/v20.20.2 linux x64', 'npm/11.19.1 node/v24.21.0 win32 x64', 'yarn', ''])(
    'the Node of "%s" is taken',
    (agent) => {
      expect(run(agent)).toEqual({ status: 0, stderr: '' });
    },
  );
});

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
        /^Custodia needs Node 24 or later here, and this is v20\.20\.2: npm ci brings one, .*\n$/,
      ),
    });
  });

  it('the one that npm ci brings runs it', async () => {
    expect(await run('v24.0.0')).toEqual({ status: 0, stdout: 'it ran\n', stderr: '' });
  });
});
