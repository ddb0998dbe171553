/** The language in which contracts are written. Its kinds of fields, parameters and problems have doors of their own. */

export { unique } from './constraints.ts';
export { sentenceOf } from './field-errors.ts';
export { TOO_LARGE } from './fields.ts';
export { codesThatAllow, includeAll, type Permissions, readingOf } from './permissions.ts';
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
export { MAX_RECORD, MAX_RESPONSE } from './sizes.ts';
