import { exec } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXTENT } from '../support/extent.ts';
import { copyRelease, ROOT } from './copy.ts';

/**
 * The instructions of the README and of `docs/adding-a-domain.md` work: their code is put into a copy of the
 * repository, and then all tests that derive from the contracts pass without further changes.
 */

const LONG = 600_000;

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'custodia-copy-'));
  await copyRelease(ROOT, copy);
  await addDomain();
  await addEndpoint();
}, LONG);
afterAll(() => rm(copy, { recursive: true, force: true }));

const read = (file: string): Promise<string> => readFile(join(copy, file), 'utf8');

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(copy, file)), { recursive: true });
  await writeFile(join(copy, file), text);
}

/** Puts lines behind one that is there. */
async function insert(file: string, after: string, lines: string): Promise<void> {
  const text = await read(file);
  expect(text, file).toContain(after);
  await write(
    file,
    text.replace(after, () => `${after}${lines}`),
  );
}

/** The files of the page, and the lines in two lists. */
async function addDomain(): Promise<void> {
  const page = await read('docs/adding-a-domain.md');
  const files = Array.from(page.matchAll(/\n`(functions\/licenses\/[\w-]+\.ts)`:\n\n```ts\n(.*?)```/gs));
  expect(files).toHaveLength(4);
  for (const [, file = '', text = ''] of files) await write(file, text);
  const [, line = ''] = /`functions\/record-contracts\.ts`[^`]*\n\n```ts\n(.*?)```/s.exec(page) ?? [];
  const list = 'functions/record-contracts.ts';
  await insert(list, "import { clients } from './clients/contract.ts';\n", line);
  await insert(list, '  terminals,\n', '  licenses,\n');
  const [, imports = ''] = /`functions\/webhooks\/domains\.ts`.*?```ts\n(.*?)```/s.exec(page) ?? [];
  const domains = 'functions/webhooks/domains.ts';
  await insert(domains, "import { routeTable } from '#http/parts';\n", imports);
  await insert(
    domains,
    '  routeTable(terminals, terminalOperations),\n',
    '  routeTable(licenses, licenseOperations),\n',
  );
}

/** The README's endpoint, with the imports that it names. */
async function addEndpoint(): Promise<void> {
  const places = {
    'functions/terminals/contract.ts': '  routes: {\n',
    'functions/terminals/operations.ts': 'Operations<typeof terminals> = {\n',
  };
  const readme = await read('README.md');
  for (const [file, place] of Object.entries(places)) {
    const told = new RegExp(
      `\`${file}\`(?:\\s\\(\`(\\w+)\` comes from \`(#\\w+)\`\\))?:\n\n\`\`\`ts\n(.*?)\`\`\``,
      's',
    );
    const [, name, from, text = ''] = told.exec(readme) ?? [];
    await insert(file, place, text);
    if (name !== undefined) await write(file, `import { ${name} } from '${from}';\n${await read(file)}`);
  }
}

/** Runs a command in the copy, as a user would. */
async function run(command: string): Promise<string> {
  // The copy must not see variables of this test run. A sample might leave out the added domain.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  env.TEST_EXTENT = 'nightly';
  const { stdout } = await promisify(exec)(command, { cwd: copy, env, maxBuffer: 100_000_000 }).catch(
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${command} failed:\n${stdout.slice(-20_000)}\n${stderr.slice(-5_000)}`);
    },
  );
  return stdout;
}

/** Runs tests of the copy, in these files or folders; those whose names fit where a pattern is given. */
async function runTests(which: readonly string[], pattern?: RegExp): Promise<readonly string[]> {
  const report = 'report.json';
  const named = pattern === undefined ? '' : `-t "${pattern.source}"`;
  await run(
    `npx vitest run --reporter=default --reporter=json --outputFile.json=${report} ${named} ${which.join(' ')}`,
  );
  const { testResults } = JSON.parse(await read(report)) as {
    readonly testResults: readonly { readonly assertionResults: readonly { fullName: string; status: string }[] }[];
  };
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ fullName, status }) => (status === 'passed' ? [fullName] : []));
}

const NEW = ['listLicenses', 'createLicense', 'getLicense', 'deleteTerminal'];

describe.skipIf(EXTENT !== 'nightly')('a domain and an endpoint, added as the documents say', () => {
  it(
    'compile, once what is generated is made',
    async () => {
      await run('npm run format');
      expect(await run('npm run docs')).toContain('openapi.json: written');
      await run('npm run check');
    },
    LONG,
  );

  it(
    'are right in all that is made of contracts: documents, stack, webhooks, verification',
    async () => {
      const passed = await runTests(['--project=quick', 'test/architecture', 'test/contract', 'test/docs']);
      for (const id of NEW) expect(passed).toContain(`the operation ${id} has every parameter of its route`);
      await runTests(['isolation', 'rights', 'routes', 'template'].map((name) => `test/infra/${name}.`));
    },
    LONG,
  );

  it(
    'are tried as every other: by example, across tenants and under faults',
    async () => {
      const passed = await runTests(
        ['every-operation', 'faults', 'matrix', 'webhook-effects'].map((name) => `test/http/${name}`),
        /License|license|deleteTerminal/,
      );
      for (const id of NEW) expect(passed).toContain(`every operation does what its example says ${id}`);
      expect(passed).toEqual(
        expect.arrayContaining([
          'a record named in the path getLicense {id}: own, else 404',
          'a record named in the path deleteTerminal {id}: own, else 404',
          'a record named in the body createLicense client_id: own, else 422',
          'a record named in a filter listLicenses ?client_id: own, else an empty list',
          'a value that may be used once createLicense key: may be used once in each tenant',
          'every event with an effect does what its route does license.created: createLicense',
          'a fault below the SDK createLicense',
        ]),
      );
    },
    LONG,
  );
});
