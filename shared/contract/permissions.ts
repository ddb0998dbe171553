import type * as z from 'zod';
import { sizeInWords } from '../words.ts';
import { bounded, jsonObject, list } from './fields.ts';
import type { PermissionCode } from './route.ts';
import { MAX_JSON } from './sizes.ts';

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
      `Kept encrypted, at most ${sizeInWords(MAX_JSON)} as JSON. Reading and setting it needs the permission ` +
        `\`${permission}\`: without it the field shows null, and null sent back changes nothing.`,
    )
    .default(null);
