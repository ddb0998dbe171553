import { v5 } from 'uuid';
import type * as z from 'zod';
import { bounded, list } from './fields.ts';
import type { Contract, PermissionCode } from './route.ts';

/** The permissions that the routes name (spec §2, Permission), those that some fields need besides, and which include which. */

export interface PermissionEntry {
  readonly id: string;
  readonly code: PermissionCode;
  readonly description: string;
}

/** Namespace of the ids (RFC 9562 §5.5): a code has the same id in every deployment and for ever. Never change it. */
const NAMESPACE = '427f99bc-1e68-4fd1-973c-cf59d8f104c9';

/** Every permission that a route or a field of these contracts needs, once, in order of its code. */
export function permissionCatalogue(contracts: readonly Contract[]): readonly PermissionEntry[] {
  const codes = contracts.flatMap(({ routes, fieldPermissions = {} }) => [
    ...Object.values(routes).flatMap(({ permission }) => permission ?? []),
    ...Object.values(fieldPermissions),
  ]);
  return [...new Set(codes)].sort().map((code) => ({ id: v5(code, NAMESPACE), code, description: describe(code) }));
}

/**
 * The codes of which any one gives a permission. A change answers the whole record, also one that changes nothing, so whoever may write
 * may read: `clients:read` is given by itself and by `clients:write`. Any other permission is given by itself alone.
 */
export function codesThatAllow(code: string): readonly string[] {
  const [area = '', verb] = code.split(':');
  return verb === 'read' ? [code, `${area}:write`] : [code];
}

/** What it takes to read the records that a permission is about: `clients:read` of `clients:write`. */
export const readingOf = (code: PermissionCode): PermissionCode => `${code.slice(0, code.indexOf(':'))}:read`;

const VERBS: Readonly<Record<string, string>> = {
  read: 'Read',
  write: 'Read, create, change and delete',
  credentials: 'Read and set the credentials of',
};

/** `service-actions:write` is "Read, create, change and delete service actions". */
function describe(code: PermissionCode): string {
  const [area = '', verb = ''] = code.split(':');
  return `${VERBS[verb] ?? capitalized(verb)} ${area.replaceAll('-', ' ')}`;
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Longest code, in characters: a word of 40, a colon and another. */
const MAX_CODE = 81;

/**
 * A set of permission codes, or null for all. Only their form is checked here: which codes there are follows from all contracts
 * together, and the operation asks (`functions/access/catalogue.ts`).
 */
export const permissionCodes = () =>
  list(
    bounded(MAX_CODE).regex(/^[a-z][a-z-]*:[a-z][a-z-]*$/, { error: 'must be a permission code: <area>:<verb>' }),
    100,
  )
    .check(eachOnce)
    .meta({ uniqueItems: true })
    .nullable();

function eachOnce({ value, issues }: { readonly value: readonly string[]; readonly issues: z.core.$ZodRawIssue[] }) {
  for (const [index, code] of value.entries()) {
    if (value.indexOf(code) === index) continue;
    issues.push({ code: 'custom', input: code, path: [index], message: 'is there already', continue: true });
  }
}
