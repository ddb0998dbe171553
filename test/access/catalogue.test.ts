import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { catalogue } from '../../functions/access/catalogue.ts';
import { contracts } from '../../functions/all-contracts.ts';
import { permissionCatalogueFile } from '../../generate/permission-catalogue.ts';
import { permissionCatalogue } from '../../shared/contract/permissions.ts';

const FILE = 'functions/access/catalogue.ts';

it('is as the contracts make it', async () => {
  expect(catalogue).toEqual(permissionCatalogue(contracts));
  const committed = await readFile(new URL(`../../${FILE}`, import.meta.url), 'utf8');
  const isCurrent = committed === permissionCatalogueFile(contracts);
  expect(isCurrent, `${FILE} is not what the contracts say: run \`npm run docs\` and commit it`).toBe(true);
});
