import { v5 } from 'uuid';
import type * as z from 'zod';
import { bounded, jsonObject, list } from './fields.ts';
import type { Contract, PermissionCode } from './route.ts';
import { MAX_JSON } from './sizes.ts';

/** The permissions of routes (spec §2, Permission) and of single fields. */

interface PermissionEntry {
  readonly id: string;
  readonly code: PermissionCode;
  readonly description: string;
}

/** Namespace of the ids (RFC 9562 §5.5), so that a code has the same id in every deployment. Never change it. */
const NAMESPACE = '427f99bc-1e68-4fd1-973c-cf59d8f104c9';

/** Every permission that a route or a field of these contracts needs, once, sorted by code. */
export function permissionCatalogue(contracts: readonly Contract[]): readonly PermissionEntry[] {
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

/** Longest code, in characters: a word of 40, a colon and another. */
const MAX_CODE = 81;

/**
 * A set of permission codes, or null for all. Only their form is checked here. The operation checks whether the codes
 * exist, because that depends on all contracts (`functions/access/privileges.ts`).
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

/**
 * Credentials for the system that a record describes. They are stored encrypted
 * (`shared/auth/encrypted-credentials.ts`) and need a permission of their own.
 */
export const credentials = (permission: PermissionCode) =>
  jsonObject()
    .nullable()
    .describe(
      `Kept encrypted, at most ${MAX_JSON} bytes as JSON. Reading and setting it needs the permission ` +
        `\`${permission}\`: without it the field shows null, and null sent back changes nothing.`,
    )
    .default(null);
