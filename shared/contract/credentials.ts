import { jsonObject } from './fields.ts';
import type { PermissionCode } from './route.ts';
import { MAX_JSON } from './sizes.ts';

/** Credentials of what a record describes. They are stored encrypted (`shared/auth/encrypted-credentials.ts`) and need a permission of their own. */
export const credentials = (permission: PermissionCode) =>
  jsonObject()
    .nullable()
    .describe(
      `Kept encrypted, at most ${MAX_JSON} bytes as JSON. Reading and setting it needs the permission \`${permission}\`: without it the field shows null, and null sent back changes nothing.`,
    )
    .default(null);
