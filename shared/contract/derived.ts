/** What follows from a declaration: for those who serve, describe or deploy routes, or store records. */

export { declaredValues, referenceOf, referencesIn, uniqueFieldsOf } from './constraints.ts';
export { deprecationHeaders, deprecationsOf, inWords } from './deprecation.ts';
export { isUuidSchema } from './fields.ts';
export { hasFreeForm, isWorthKeeping, MOST_OF_OTHERS, MOST_VALUES, maxBodyOf } from './free-form.ts';
export { type PermissionEntry, permissionCatalogue } from './permissions.ts';
export { requestHeaders } from './request-headers.ts';
export {
  filtersOf,
  hasReadOnlyFields,
  hasRetryAfter,
  isCharged,
  isConditionalRead,
  isConditionalWrite,
  isList,
  itemRouteOf,
  methodsOf,
  problemsOf,
  takesIdempotencyKey,
} from './traits.ts';
