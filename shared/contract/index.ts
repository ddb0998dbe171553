/**
 * The language in which contracts are written. Its kinds of fields, parameters and problems have doors of their own.
 */

export { unique } from './constraints.ts';
export { crud } from './crud.ts';
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
export { accepted, created, noContent, ok, okText, pageOf, WHOLE_LIST, wholeListOf } from './responses.ts';
export { type Contract, contract, type PermissionCode, type Route, route } from './route.ts';
