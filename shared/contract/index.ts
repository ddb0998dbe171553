/**
 * The language in which contracts are written, with what is derived from a declaration. Its kinds of fields and
 * parameters have doors of their own.
 */

export { declaredValues, referencesIn, unique, uniqueFieldsOf } from './constraints.ts';
export { corsHeaders, ORIGINS, originsOf } from './cors.ts';
export { crud } from './crud.ts';
export { entranceOf } from './entrances.ts';
export { parse } from './field-errors.ts';
export { isUuidSchema } from './fields.ts';
export { freeFormOf, maxBodyOf } from './free-form.ts';
export { GATEWAY_PROBLEMS, gatewayResponse, undeclared } from './gateway-problems.ts';
export { filteredField, listParametersOf, parseQuery } from './list-query.ts';
export { isMailAddressOf } from './mail-address.ts';
export { type NamedReference, namedReferencesIn, nameSchemaOf, namingSchema } from './named-references.ts';
export { nearestName } from './nearest-name.ts';
export * as oauth from './oauth.ts';
export {
  invalidField,
  MAX_FIELD_ERRORS,
  PROBLEM_TYPE_PREFIX,
  PROBLEMS,
  Problem,
  pointer,
  refusalContext,
  unauthorized,
  withMetadata,
} from './problem.ts';
export {
  adapted,
  type Body,
  body,
  createOnly,
  declared,
  onRequest,
  optionalOnCreate,
  type RecordOf,
  readOnly,
  record,
} from './record.ts';
export { accepted, created, noContent, ok, pageOf, WHOLE_LIST, wholeListOf } from './responses.ts';
export { type Contract, contract, type PermissionCode, type Route, route } from './route.ts';
export { COMPRESSED_FROM, MAX_RESPONSE, MOST_RESIDUAL } from './sizes.ts';
export { counts } from './summary.ts';
export {
  changesNamedRecord,
  filtersAndOrdersOf,
  filtersOf,
  filtersServedBy,
  isSearchable,
  itemRouteOf,
  methodsOf,
  problemsOf,
  takesHeader,
} from './traits.ts';
