import { type Contract, permissionCatalogue } from '#contract';

/** The file `functions/access/catalogue.ts`: at run time the list would take every contract, and so the schemas of all domains. */
export const permissionCatalogueFile = (contracts: readonly Contract[]): string =>
  [
    '// Made by `npm run docs` from the contracts. Do not edit.',
    `import type { PermissionEntry } from '../../shared/contract/permissions.ts';`,
    '',
    '/** All permissions, sorted by code. */',
    'export const catalogue: readonly PermissionEntry[] = [',
    ...permissionCatalogue(contracts).flatMap((entry) => [
      '  {',
      ...Object.entries(entry).map(([field, value]) => `    ${field}: '${value}',`),
      '  },',
    ]),
    '];',
    '',
  ].join('\n');
