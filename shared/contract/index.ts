/** The language in which contracts are written, and the problems that operations throw. */

export { badToken, CHALLENGE, noToken } from './challenge.ts';
export { ignoringCase, reference, unique, uniqueEverywhere } from './constraints.ts';
export {
  anyJsonObject,
  bounded,
  code,
  count,
  dateText,
  email,
  flag,
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
  credentials,
  includeAll,
  type Permissions,
  permissionCodes,
  readingOf,
} from './permissions.ts';
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
export {
  type Auth,
  type Contract,
  contract,
  created,
  noContent,
  ok,
  okText,
  type PermissionCode,
  pageOf,
  type ResponseType,
  type Route,
  route,
  WHOLE_LIST,
  wholeListOf,
} from './route.ts';
export { sentenceOf } from './sentences.ts';
export { MAX_RECORD, MAX_RESPONSE } from './sizes.ts';
export { CREATED_AT, freeForm, ID, METADATA, ORGANIZATION, UPDATED_AT, words } from './texts.ts';
