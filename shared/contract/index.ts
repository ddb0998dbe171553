/**
 * The language in which contracts are written. Its kinds of fields, parameters and problems have doors of their own.
 */

export { unique } from './constraints.ts';
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
export {
  accepted,
  type Contract,
  contract,
  created,
  noContent,
  ok,
  okText,
  type PermissionCode,
  pageOf,
  type Route,
  route,
  WHOLE_LIST,
  wholeListOf,
} from './route.ts';
