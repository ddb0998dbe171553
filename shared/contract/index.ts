/**
 * The language in which contracts are written, with what is derived from a declaration. Its kinds of fields and
 * parameters have doors of their own.
 */

export { declaredValues, referencesIn, unique, uniqueFieldsOf } from './constraints.ts';
export { corsHeaders, ORIGINS, originsOf, type Preflight, preflightOf } from './cors.ts';
export { crud } from './crud.ts';
export { entrancesOf, REDIRECT } from './entrances.ts';
export { parse } from './field-errors.ts';
export { isUuidSchema, type JsonObject } from './fields.ts';
export { CREATION_FIELDS, filterName, rangeNames, sortName } from './filter-names.ts';
export { freeFormOf, maxBodyOf } from './free-form.ts';
export { GATEWAY_PROBLEMS, type GatewayProblem, gatewayResponse, undeclared } from './gateway-problems.ts';
export { conditionsOf, listQueryOf, querySchemaOf } from './list-query.ts';
export { nearestName } from './nearest-name.ts';
export { permissionCatalogue } from './permissions.ts';
export {
  CHALLENGE,
  type FieldError,
  invalidField,
  MAX_FIELD_ERRORS,
  PROBLEM_TYPE_PREFIX,
  PROBLEMS,
  Problem,
  type ProblemType,
  pointer,
  refusalContext,
  unauthorized,
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
export { requestHeaders } from './request-headers.ts';
export { accepted, created, noContent, ok, okText, pageOf, WHOLE_LIST, wholeListOf } from './responses.ts';
export { type Contract, contract, type PermissionCode, type Route, route } from './route.ts';
export * as sentence from './sentence.ts';
export { elementOf, valuesIn } from './several-values.ts';
export { COMPRESSED_FROM, MAX_RESPONSE, MOST_RESIDUAL } from './sizes.ts';
export {
  changesNamedRecord,
  filtersAndOrdersOf,
  filtersOf,
  GATEWAY_TIMEOUT,
  isSearchable,
  itemRouteOf,
  methodsOf,
  ordersOf,
  problemsOf,
  takesHeader,
} from './traits.ts';
