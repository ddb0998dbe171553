import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXTENT } from '../support/extent.ts';
import { ChangedCopy } from './changed-copy.ts';

/**
 * The instructions of `docs/adding-a-domain.md` work: their code is put into a copy of the repository, and then all
 * tests that derive from the contracts pass without further changes.
 */

const LONG = 600_000;

let copy: ChangedCopy;
beforeAll(async () => {
  copy = await ChangedCopy.make();
  await addDomain();
}, LONG);
afterAll(() => copy.remove());

/** The files of the page, and the lines in two lists. */
async function addDomain(): Promise<void> {
  const page = await copy.read('docs/adding-a-domain.md');
  const files = Array.from(page.matchAll(/\n`(functions\/licenses\/[\w-]+\.ts)`:\n\n```ts\n(.*?)```/gs));
  expect(files).toHaveLength(4);
  for (const [, file = '', text = ''] of files) await copy.write(file, text);
  const [, line = ''] = /`functions\/record-contracts\.ts`[^`]*\n\n```ts\n(.*?)```/s.exec(page) ?? [];
  const list = 'functions/record-contracts.ts';
  await copy.insert(list, "import { clients } from './clients/contract.ts';\n", line);
  await copy.insert(list, '  terminals,\n', '  licenses,\n');
  const [, imports = ''] = /`functions\/webhooks\/domains\.ts`.*?```ts\n(.*?)```/s.exec(page) ?? [];
  const domains = 'functions/webhooks/domains.ts';
  await copy.insert(domains, "import { routeTable } from '#http';\n", imports);
  await copy.insert(
    domains,
    '  routeTable(terminals, terminalOperations),\n',
    '  routeTable(licenses, licenseOperations),\n',
  );
}

const NEW = ['listLicenses', 'createLicense', 'getLicense'];

describe.skipIf(EXTENT !== 'nightly')('a domain, added as the page says', () => {
  it(
    'compile, once what is generated is made',
    async () => {
      await copy.run('npm run format');
      expect(await copy.run('npm run docs')).toContain('openapi.json: written');
      await copy.run('npm run check');
    },
    LONG,
  );

  it(
    'are right in all that is made of contracts: documents, stack, webhooks, verification',
    async () => {
      const passed = await copy.runTests(['--project=quick', 'test/architecture', 'test/contract', 'test/docs']);
      for (const id of NEW) expect(passed).toContain(`the operation ${id} has every parameter of its route`);
      await copy.runTests(['isolation', 'rights', 'routes', 'template'].map((name) => `test/infra/${name}.`));
    },
    LONG,
  );

  it(
    'are tried as every other: by example, across tenants and under faults',
    async () => {
      const passed = await copy.runTests(
        ['every-operation', 'faults', 'matrix', 'webhook-effects'].map((name) => `test/http/${name}`),
        { pattern: /License|license/ },
      );
      for (const id of NEW) expect(passed).toContain(`every operation does what its example says ${id}`);
      expect(passed).toEqual(
        expect.arrayContaining([
          'a record named in the path getLicense {id}: own, else 404',
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
