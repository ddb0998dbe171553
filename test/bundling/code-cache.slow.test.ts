import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { bundleOne } from '../../infra/bundling/bundle.ts';
import { CODE_CACHE } from '../../infra/bundling/script.ts';
import { functionCode } from '../../infra/service-function.ts';
import { freshDirectory } from '../support/directory.ts';

/** A flag of Lambda's runtime. V8 compares flags. */
const AS_LAMBDA = '--expose-gc';

const HANDLER = `
export const handler = async (event: string): Promise<unknown> => {
  if (event === 'fail') throw new Error('as it should');
  return { event, cache: process.env.CODE_CACHE, text: 'compiled before it runs' };
};`;

let directory: string;
let bundled: string;
beforeEach(async () => {
  directory = await freshDirectory();
  bundled = join(directory, 'bundle');
  await bundleText(HANDLER);
});

async function bundleText(text: string): Promise<void> {
  writeFileSync(join(directory, 'index.ts'), text);
  await bundleOne(join(directory, 'index.ts'), bundled);
}

const cacheFile = (): string =>
  join(bundled, readdirSync(bundled).find((file) => file.startsWith('main.') && file.endsWith(CODE_CACHE)) ?? '');

/** What the handler returns in a process of its own, or the stack of what it throws. */
async function called(event: string, flags: readonly string[] = [AS_LAMBDA]) {
  const code = `
    const { handler } = await import(${JSON.stringify(join(bundled, 'index.mjs'))});
    console.log(JSON.stringify(await handler(${JSON.stringify(event)}).catch(({ stack }) => ({ stack }))));`;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '-e', code]);
  return JSON.parse(stdout) as Readonly<Record<string, string>>;
}

describe('a bundle', () => {
  it('is loaded from the cache that was made with it, which has its functions', async () => {
    expect(await called('e')).toEqual({ event: 'e', text: 'compiled before it runs' });
    expect(readFileSync(cacheFile(), 'latin1')).toContain('compiled before it runs');
  });

  it.each<[string, () => void, ...string[]]>([
    ['is missing', () => rmSync(cacheFile())],
    ['is for another processor', () => renameSync(cacheFile(), cacheFile().replace(process.arch, 'riscv64'))],
    ['is for another Node', () => renameSync(cacheFile(), cacheFile().replace(process.version, 'v24.0.0'))],
    ['is broken', () => writeFileSync(cacheFile(), readFileSync(cacheFile()).subarray(0, 100))],
    ['is not one', () => writeFileSync(cacheFile(), 'not one')],
    ['is for another code', () => writeFileSync(join(bundled, 'main.cjs'), `${mainScript()}\n`)],
    ['was made with other flags', () => undefined, '--stack-trace-limit=20'],
  ])('is compiled, and says so, where its cache %s', async (_, change, ...flags) => {
    change();
    const { text, cache } = await called('e', [AS_LAMBDA, ...flags]);
    expect([text, cache]).toEqual(['compiled before it runs', 'missed']);
  });

  it('leaves no cache of an earlier one, whose code may be as long', async () => {
    writeFileSync(join(bundled, `main.cjs.arm64-v24.0.0${CODE_CACHE}`), '');
    await bundleText(HANDLER);
    expect(readdirSync(bundled).filter((file) => file.startsWith('main.'))).toHaveLength(3);
  });

  it('has positions in stack traces that its source map knows', async () => {
    const { stack = '' } = await called('fail');
    const [, line = 0, column = 0] = /main\.cjs:(\d+):(\d+)/.exec(stack) ?? [];
    const map = new SourceMap(JSON.parse(readFileSync(join(bundled, 'main.cjs.map'), 'utf8')));
    expect(map.findEntry(Number(line) - 1, Number(column) - 1)).toMatchObject({
      originalSource: expect.stringMatching(/index\.ts$/),
      originalLine: 2,
    });
  });
});

describe('caches are made by the Node that CODE_CACHE_NODE names', () => {
  it('with its arguments', async () => {
    vi.stubEnv('CODE_CACHE_NODE', `${process.execPath} --stack-trace-limit=20`);
    await bundleText(HANDLER);
    expect((await called('e')).cache).toBe('missed');
    expect((await called('e', [AS_LAMBDA, '--stack-trace-limit=20'])).cache).toBeUndefined();
  });

  it('or there is no bundle', async () => {
    vi.stubEnv('CODE_CACHE_NODE', join(directory, 'nowhere'));
    await expect(bundleText(HANDLER)).rejects.toThrow('nowhere');
  });
});

it('the same code for the same Node is no new version of a function, other code is', async () => {
  const version = () => functionCode(bundled).bind(new Stack(new App())).s3Location?.objectKey;
  const first = version();
  const cache = readFileSync(cacheFile());
  await bundleText(HANDLER);
  writeFileSync(cacheFile(), Buffer.concat([cache, Buffer.from('made again')]));
  expect(version()).toBe(first);
  renameSync(cacheFile(), cacheFile().replace(process.version, 'v24.0.0'));
  const forAnotherNode = version();
  await bundleText(HANDLER.replace('as it should', 'as it must'));
  expect(new Set([first, forAnotherNode, version()]).size).toBe(3);
});

const mainScript = (): string => readFileSync(join(bundled, 'main.cjs'), 'utf8');
