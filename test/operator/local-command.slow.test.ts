import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LOCAL_TABLE } from '../../local/settings.ts';
import { ON_DYNOXIDE, start } from '../local/start-fixture.ts';
import { freshDirectory } from '../support/directory.ts';
import { runOperator } from '../support/operator.ts';

/** The commands on the data of `npm start`, while it runs and when it does not; and how npm finds them. */

const ROOT = join(import.meta.dirname, '../..');

describe('npx custodia', () => {
  it.each([
    ['npx', 'custodia'],
    ['npm', 'exec', '--', 'custodia'],
    ['npm', 'run', '--silent', 'custodia', '--'],
  ])('is found in the checkout, by %s, without a network, and passes on its exit code', async (program, ...args) => {
    const env = { ...process.env, npm_config_cache: await freshDirectory(), npm_config_offline: 'true' };
    const command = [...args, 'verify', '--org', '*', '--local'];
    const failed = await promisify(execFile)(program, command, { cwd: ROOT, env }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringMatching(/^--org must be the id/m) });
  });
});

describe('with --local', () => {
  it('the operator works on what npm start serves, and on its data later', async () => {
    const DATA_DIR = await freshDirectory();
    const variables = { DATA_DIR, ...ON_DYNOXIDE };
    const local = (...args: string[]) => runOperator([...args, '--local'], variables, { alone: true });
    expect(await local('organizations', 'list')).toMatchObject({ code: 2 });

    const api = start(variables);
    const url = await api.ready();
    const made = JSON.parse((await local('create-platform-key', '--app-code', 'ops')).stdout);
    expect(made.secret).toMatch(/^cst_/);
    const key = await fetch(`${url}/api/v1/integrations`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ app_code: 'acme', display_name: 'Acme' }),
    });
    const { org_id, secret } = (await key.json()) as { org_id: string; secret: string };
    const login = async () =>
      (
        await fetch(`${url}/api/v1/auth/login`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ app_code: 'acme', secret }),
        })
      ).status;
    expect((await local('organizations', 'suspend', '--org', org_id)).code).toBe(0);
    expect(await login()).toBe(403);
    await api.signal('SIGTERM');

    expect(JSON.parse((await local('organizations', 'list', '--json')).stdout)).toMatchObject([
      { id: org_id, suspension: { state: 'suspended' } },
    ]);
    expect((await local('platform-keys', 'list')).stdout).toMatch(/ ops /);
    expect((await local('export', '--org', org_id)).stdout.split('\n')).toHaveLength(6);
    const progress = join(DATA_DIR, 'verify.progress');
    const verifiedAll = async (directory: string) => {
      await writeFile(progress, `{"run":{"table":"${LOCAL_TABLE} in ${directory}`);
      return (await local('verify', '--all', '--progress', progress)).code;
    };
    expect([await verifiedAll(`${DATA_DIR}-2`), await verifiedAll(DATA_DIR)]).toEqual([2, 0]);
  });
});
