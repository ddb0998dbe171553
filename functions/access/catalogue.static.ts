import { permissionCatalogue } from '#contract';
import { contracts } from '../all-contracts.ts';

/** All permissions, by code. Bundles hold this list instead of the contracts (`infra/bundling/static-modules.ts`). */
export const catalogue = permissionCatalogue(contracts);
