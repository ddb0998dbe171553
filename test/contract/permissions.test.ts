import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codesThatAllow, includeAll, permissionCatalogue } from '#contract';
import { catalogue } from '../../functions/access/catalogue.ts';
import { contracts } from '../../functions/all-contracts.ts';
import { permissionCatalogueFile } from '../../generate/permission-catalogue.ts';

const CODES = ['a:read', 'a:write', 'b:read', 'b:write', 'b:credentials'];
const permissions = fc.option(fc.subarray(CODES));

it('permissions include others exactly where every code that these allow is allowed by them', () => {
  const allows = (held: readonly string[] | null, code: string): boolean =>
    held === null || codesThatAllow(code).some((one) => held.includes(one));
  fc.assert(
    fc.property(permissions, permissions, (held, others) => {
      // All permissions are more than any list of those that there are today.
      const beyond = others === null && held !== null;
      const isWithin = CODES.every((code) => !allows(others, code) || allows(held, code));
      expect(includeAll(held, others)).toBe(isWithin && !beyond);
    }),
  );
});

const FILE = 'functions/access/catalogue.ts';

it('the catalogue of permissions is as the contracts make it', async () => {
  expect(catalogue).toEqual(permissionCatalogue(contracts));
  const committed = await readFile(new URL(`../../${FILE}`, import.meta.url), 'utf8');
  const isCurrent = committed === permissionCatalogueFile(contracts);
  expect(isCurrent, `${FILE} is not what the contracts say: run \`npm run docs\` and commit it`).toBe(true);
});
