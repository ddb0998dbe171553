import { v5 } from 'uuid';
import type { Contract, PermissionCode } from '#contract';
import { contracts } from '../all-contracts.ts';

interface PermissionEntry {
  readonly id: string;
  readonly code: PermissionCode;
  readonly description: string;
}

/** Namespace of the ids (RFC 9562 §5.5), so that a code has the same id in every deployment. Never change it. */
const NAMESPACE = '427f99bc-1e68-4fd1-973c-cf59d8f104c9';

function permissionCatalogue(contracts: readonly Contract[]): readonly PermissionEntry[] {
  const codes = contracts.flatMap(({ routes, fieldPermissions = {} }) => [
    ...Object.values(routes).flatMap(({ permission }) => permission ?? []),
    ...Object.values(fieldPermissions),
  ]);
  return [...new Set(codes)].sort().map((code) => ({ id: v5(code, NAMESPACE), code, description: describe(code) }));
}

const VERBS: Readonly<Record<string, string>> = {
  read: 'Read',
  write: 'Read, create, change and delete',
  credentials: 'Read and set the credentials of',
};

/** `service-actions:write`: "Read, create, change and delete service actions". */
function describe(code: PermissionCode): string {
  const [area = '', verb = ''] = code.split(':');
  return `${VERBS[verb] ?? capitalized(verb)} ${area.replaceAll('-', ' ')}`;
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Every permission that a route or a field needs (spec §2, Permission), once, sorted by code. Bundles hold this list
 * instead of the contracts (`infra/bundling/static-modules.ts`).
 */
export const catalogue = permissionCatalogue(contracts);
