import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freshDirectory } from '../support/directory.ts';
import { bashProgram, environmentAt, expected, printed, typescriptProgram } from './samples/programs.ts';
import { useLocalApi } from './use-local-api.ts';

/** The samples of the reference do what they say. `npm run check:clients` runs those in Python. */

const ROOT = join(import.meta.dirname, '../..');

const api = useLocalApi();

/** What a program prints. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, ...(await environmentAt(api.url, api.platform)) };
  const { stdout } = await promisify(execFile)(program, args, { env, maxBuffer: 50_000_000 });
  return stdout;
}

it('in curl, each of them succeeds when pasted into bash', async () => {
  const file = join(await freshDirectory(), 'samples.sh');
  await writeFile(file, bashProgram());
  expect(printed(await run('bash', ['--norc', file]))).toEqual(expected);
});

it('in TypeScript, all of them compile strictly, and each succeeds', async () => {
  const folder = await freshDirectory();
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const compilerOptions = {
    ...{ target: 'ES2024', module: 'NodeNext', lib: ['ES2024', 'DOM', 'DOM.Iterable'], types: ['node'] },
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true },
    ...{ customConditions: ['custodia-source'], allowImportingTsExtensions: true },
  };
  await Promise.all([
    writeFile(join(folder, 'package.json'), '{"type":"module"}'),
    writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['samples.ts'] })),
    writeFile(join(folder, 'samples.ts'), typescriptProgram()),
  ]);
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--singleThreaded', '-p', folder]).catch(
    ({ stdout }: { readonly stdout: string }) => expect.fail(stdout),
  );
  const args = ['--conditions=custodia-source', join(folder, 'samples.ts')];
  expect(printed(await run(process.execPath, args))).toEqual(expected);
});
