import { permissionCatalogue } from '#contract';
import { contracts } from '../all-contracts.ts';

/** All permissions, sorted by code. A bundle holds this list and none of the contracts (`infra/bundling/static-modules.ts`). */
export const catalogue = permissionCatalogue(contracts);
