import * as field from '#contract/field';

/**
 * Names of the IANA time zone database, including aliases. The runtime also accepts offsets (`+01:00`) and its own
 * abbreviations (`IST`), which the database does not have (`docs/decisions/0034-users-and-access.md`).
 */

const AREAS =
  'Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US';
/** The database's names without an area: a closed set of old aliases. */
const WITHOUT_AREA =
  'CET|CST6CDT|Cuba|EET|EST|EST5EDT|Egypt|Eire|GB|GB-Eire|GMT|GMT0|GMT[+-]0|Greenwich|HST|Hongkong|Iceland|Iran|' +
  'Israel|Jamaica|Japan|Kwajalein|Libya|MET|MST|MST7MDT|NZ|NZ-CHAT|Navajo|PRC|PST8PDT|Poland|Portugal|ROC|ROK|' +
  'Singapore|Turkey|UCT|UTC|Universal|W-SU|WET|Zulu';
const ZONE = new RegExp(`^(?:(?:${AREAS})(?:/[A-Z][A-Za-z0-9_+-]*){1,2}|${WITHOUT_AREA})$`);

const ERROR = 'must be the name of an IANA time zone, such as Europe/Lisbon';

/** The name of a time zone, as it was given. */
export const timeZone = () =>
  field.bounded(64).regex(ZONE, { error: ERROR, abort: true }).refine(isKnown, { error: ERROR });

/** Whether the runtime's copy of the database has the name. */
function isKnown(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
