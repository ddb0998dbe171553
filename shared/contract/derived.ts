/** Facts derived from a declaration, for code that serves, describes or deploys routes, or stores records. */

export { declaredValues, referencesIn, uniqueFieldsOf } from './constraints.ts';
export { parse } from './field-errors.ts';
export { isUuidSchema } from './fields.ts';
export * as filterNames from './filter-names.ts';
export { freeFormOf, maxBodyOf } from './free-form.ts';
export { nearestName } from './nearest-name.ts';
export { permissionCatalogue } from './permissions.ts';
export { requestHeaders } from './request-headers.ts';
export { valuesIn } from './several-values.ts';
export {
  changesNamedRecord,
  filtersAndOrdersOf,
  filtersOf,
  itemRouteOf,
  methodsOf,
  problemsOf,
  takesHeader,
} from './traits.ts';
