import { v5 } from 'uuid';
import type { Contract, PermissionCode } from './route.ts';

/** The permissions that the routes name (spec §2, Permission). */

export interface PermissionEntry {
  readonly id: string;
  readonly code: PermissionCode;
  readonly description: string;
}

/** Namespace of the ids (RFC 9562 §5.5): a code has the same id in every deployment and for ever. Never change it. */
const NAMESPACE = '427f99bc-1e68-4fd1-973c-cf59d8f104c9';

/** Every permission that a route of these contracts needs, once, in order of its code. */
export function permissionCatalogue(contracts: readonly Contract[]): readonly PermissionEntry[] {
  const codes = contracts.flatMap(({ routes }) => Object.values(routes)).flatMap(({ permission }) => permission ?? []);
  return [...new Set(codes)].sort().map((code) => ({ id: v5(code, NAMESPACE), code, description: describe(code) }));
}

const VERBS: Readonly<Record<string, string>> = { read: 'Read', write: 'Create, change and delete' };

/** `service-actions:write` is "Create, change and delete service actions". */
function describe(code: PermissionCode): string {
  const [area = '', verb = ''] = code.split(':');
  return `${VERBS[verb] ?? capitalized(verb)} ${area.replaceAll('-', ' ')}`;
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
