import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freshDirectory } from '../support/directory.ts';
import { useApi } from '../support/use-api.ts';

/** `@custodia/client` as it is published: packed, installed, and used by a newcomer who copies the first program. */

const ROOT = join(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'packages/client');
const TSC = join(PACKAGE, 'node_modules/typescript/lib/tsc.js');

const api = useApi();

/** npm asks no registry, and has no settings of the npm that runs the tests. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_config_'))),
  npm_config_offline: 'true',
};

async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd, env }).catch(
    (error: Error & { stdout: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    },
  );
  return stdout;
}

/** The package's folder in a clone in which `npm ci` was run, and nothing else. */
async function freshSource(): Promise<string> {
  const source = await freshDirectory();
  for (const entry of ['src', 'README.md', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
    await cp(join(PACKAGE, entry), join(source, entry), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  return source;
}

/** A program of a user's, beside a package.json. */
async function freshProgram(): Promise<string> {
  const user = await freshDirectory();
  const program = await readFile(join(ROOT, 'examples/first-program.ts'), 'utf8');
  expect(program).toContain("'http://127.0.0.1:3000'");
  await writeFile(join(user, 'package.json'), '{ "type": "module" }');
  const addressed = program.replace('http://127.0.0.1:3000', api.url);
  await writeFile(join(user, 'first.ts'), addressed.replace('acme-first-program', `acme-${randomUUID()}`));
  return user;
}

async function expectRuns(user: string): Promise<void> {
  await run(user, process.execPath, TSC, '--strict', '--target', 'es2022', '--module', 'nodenext', 'first.ts');
  expect(await run(user, process.execPath, 'first.js')).toMatch(/^created ([\da-f-]{36})\n\1 Bistro\n$/);
}

it('is installed from a clone as its README says, which builds it', async () => {
  const [source, user] = [await freshSource(), await freshProgram()];
  const [, command = ''] =
    /```bash\n(npm install .*)\n```/.exec(await readFile(join(PACKAGE, 'README.md'), 'utf8')) ?? [];
  expect(command).toContain('../custodia/packages/client');
  await run(user, 'bash', '-c', command.replace('../custodia/packages/client', source));
  await expectRuns(user);
});

it('is packed with what it needs alone; its first program compiles under --strict, and runs', async () => {
  const [source, user] = [await freshSource(), await freshProgram()];
  const [packed] = JSON.parse(await run(source, 'npm', 'pack', '--json', '--silent', '--ignore-scripts=false')) as [
    { readonly filename: string; readonly files: readonly { readonly path: string }[] },
  ];
  const files = packed.files.map(({ path }) => path);
  expect(files.filter((path) => !/^dist\/[\w-]+\.(js|d\.ts)$/.test(path))).toEqual(['README.md', 'package.json']);
  expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/schema.d.ts']));

  const installed = join(user, 'node_modules/@custodia/client');
  await mkdir(installed, { recursive: true });
  await run(user, 'tar', '-xzf', join(source, packed.filename), '-C', installed, '--strip-components=1');
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    await symlink(join(ROOT, 'node_modules', name), join(user, 'node_modules', name));
  await expectRuns(user);
});
