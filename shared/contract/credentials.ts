import { jsonObject } from './fields.ts';
import type { PermissionCode } from './route.ts';
import { MAX_JSON } from './sizes.ts';

/** How to get into what a record describes: kept encrypted (`shared/auth/encrypted-credentials.ts`), shown and taken under a permission of its own. */
export const credentials = (permission: PermissionCode) =>
  jsonObject()
    .nullable()
    .describe(
      `Kept encrypted, at most ${MAX_JSON} bytes as JSON. Reading and setting it needs the permission \`${permission}\`: without it the field shows null, and null sent back changes nothing.`,
    )
    .default(null);
