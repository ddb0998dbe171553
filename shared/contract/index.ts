export { badToken, CHALLENGE, challengeOf, noToken, refusalContext } from './challenge.ts';
export {
  ignoringCase,
  reference,
  referenceOf,
  referencesIn,
  unique,
  uniqueEverywhere,
  uniqueFieldsOf,
} from './constraints.ts';
export { ANY_ORIGIN, ORIGINS, originsFor, originsOf, readableBy } from './cors.ts';
export { credentials } from './credentials.ts';
export { deprecationHeaders, deprecationsOf, inWords } from './deprecation.ts';
export {
  anyJsonObject,
  bounded,
  code,
  count,
  dateText,
  email,
  flag,
  isUuidSchema,
  type JsonObject,
  jsonObject,
  list,
  money,
  name,
  percentage,
  requestsAMinute,
  shownAs,
  slug,
  TOO_LARGE,
  tags,
  text,
  timestamp,
  uuid,
  webAddress,
  whole,
  word,
} from './fields.ts';
export { declaredValues } from './filter-values.ts';
export { folded } from './folded.ts';
export { hasFreeForm, isWorthKeeping, MOST_OF_OTHERS, MOST_VALUES, maxBodyOf } from './free-form.ts';
export {
  GATEWAY_PROBLEMS,
  type GatewayProblem,
  type GatewayResponseType,
  gatewayProblemHeaders,
  gatewayProblemTemplate,
  undeclared,
} from './gateway-problems.ts';
export { GATEWAY_TIMEOUT, hasRetryAfter, problemsOf } from './implied-problems.ts';
export { asNumber, mayHaveUnusualNumbers, type Parsed, parseJson, parseWhere } from './json.ts';
export { lazily } from './lazily.ts';
export {
  booleanParameter,
  cursorParameters,
  PREFIX_PARAMETER,
  pageParameters,
  prefixParameter,
  type Sort,
} from './parameters.ts';
export {
  codesThatAllow,
  includeAll,
  type PermissionEntry,
  type Permissions,
  permissionCatalogue,
  permissionCodes,
  readingOf,
} from './permissions.ts';
export { type Preflight, preflightOf } from './preflight.ts';
export {
  alreadyExists,
  type FieldError,
  invalidField,
  MAX_FIELD_ERRORS,
  PROBLEM_TYPE_PREFIX,
  PROBLEMS,
  Problem,
  type ProblemType,
  pointer,
  problemDetailsOf,
} from './problem.ts';
export {
  adapted,
  type Body,
  body,
  createOnly,
  declared,
  optionalOnCreate,
  type RecordOf,
  readOnly,
  record,
} from './record.ts';
export { requestHeaders } from './request-headers.ts';
export {
  type Auth,
  type Contract,
  contract,
  created,
  isCharged,
  noContent,
  ok,
  okText,
  type PermissionCode,
  pageOf,
  type ResponseType,
  type Route,
  route,
  takesIdempotencyKey,
  WHOLE_LIST,
  wholeListOf,
} from './route.ts';
export { sentenceOf } from './sentences.ts';
export { COMPRESSED_FROM, escapedSize, fitsEscaped, MAX_RECORD, MAX_RESPONSE } from './sizes.ts';
export { CREATED_AT, freeForm, ID, METADATA, ORGANIZATION, UPDATED_AT, words } from './texts.ts';
export {
  filtersOf,
  hasReadOnlyFields,
  isConditionalRead,
  isConditionalWrite,
  isList,
  itemRouteOf,
  methodsOf,
} from './traits.ts';
