/** The kinds of fields of records: `import * as field from '#contract/field'`. */

export { reference } from './constraints.ts';
export {
  anyJsonObject,
  bounded,
  code,
  count,
  dateOrTime,
  email,
  flag,
  freeForm,
  identifier,
  type JsonObject,
  jsonObject,
  list,
  metadata,
  money,
  name,
  percentage,
  phone,
  phoneNumber,
  shownAs,
  shownOnce,
  slug,
  tags,
  text,
  timestamp,
  uuid,
  webAddress,
  whole,
  word,
} from './fields.ts';
export { credentials, permissionCodes } from './permissions.ts';
