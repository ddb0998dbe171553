import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import type { SynthesizedFunction } from '../../infra/synthesized.ts';

const run = promisify(execFile);

/** The files of a function's bundle, with their texts. */
const filesOf = ({ assetPath }: SynthesizedFunction) =>
  readdirSync(assetPath).map((file) => ({ file, text: readFileSync(join(assetPath, file), 'utf8') }));

/** The words of the estimator of secrets (`shared/auth/guesses.ts`), loaded when a caller supplies one. */
const isWordList = ({ file }: { readonly file: string }): boolean => file.startsWith('guesses-');

/** What the bundles of the stack must be. Making them takes a while, so they are those of a test that deploys it. */
export function describeBundles(functions: () => ReadonlyMap<string, SynthesizedFunction>): void {
  describe('the bundles', () => {
    test('every contract and the authorizer is a function of the synthesized stack', () => {
      expect([...functions().keys()].toSorted()).toEqual(
        ['authorizer', ...contracts.map(({ name }) => name)].toSorted(),
      );
    });

    test('a bundle holds modules, without their source maps', () => {
      for (const each of functions().values()) {
        for (const { file } of filesOf(each)) expect(file).toMatch(/\.mjs$/);
      }
    });

    test('a bundle brings no credential provider but its own', () => {
      const others = /fromSSO|fromIni|fromProcess|fromTokenFile|fromInstanceMetadata|credential_process/;
      for (const each of functions().values()) {
        for (const { file, text } of filesOf(each)) expect(others.test(text), file).toBe(false);
      }
    });

    test('a bundle imports nothing: Node’s modules are taken without ESM facades, all others are inside', async () => {
      const { metafile } = await build({
        entryPoints: Array.from(functions().values(), ({ module }) => module),
        bundle: true,
        platform: 'node',
        format: 'esm',
        write: false,
        metafile: true,
        outdir: tmpdir(),
        logLevel: 'silent',
      });
      const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
      expect(imports.filter(({ external }) => external)).toEqual([]);
    });

    test('the function that takes supplied secrets brings words to measure them with, in a file of their own, and no other does', () => {
      const bringing = [...functions()].filter(([, each]) => filesOf(each).some(isWordList));
      expect(bringing.map(([name]) => name)).toEqual(['integrations']);
      const known = [...functions()].filter(([, each]) =>
        filesOf(each).some(({ text }) => text.includes('Atrustno1Ahunter')),
      );
      expect(known.map(([name]) => name)).toEqual(['integrations']);
    });

    test('a bundle is small', () => {
      for (const [name, each] of functions()) {
        const bytes = filesOf(each)
          .filter((file) => !isWordList(file))
          .reduce((sum, { text }) => sum + text.length, 0);
        // The one function that serves the OpenAPI document carries it whole.
        expect(bytes, name).toBeLessThan(name === 'openapi' ? 900_000 : 600_000);
      }
    });

    test('a bundle loads outside of the project and exports its handler', async () => {
      const code = `
    const modules = ${JSON.stringify(Array.from(functions().values(), (each) => [each.module, each.export]))};
    for (const [file, name] of modules) {
      if (typeof (await import(file))[name] !== 'function') throw new Error(file);
    }`;
      const environment = functions().get('clients')?.environment ?? {};
      expect(environment).toMatchObject({ STAGE: 'dev', FIRST_KEY: 'on', TABLE_NAME: expect.stringMatching(/^Ref:/) });
      await run(process.execPath, ['--input-type=module', '-e', code], { cwd: tmpdir(), env: { ...environment } });
    });
  });
}
