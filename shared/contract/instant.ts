/**
 * Points in time in ISO 8601: extended (`2026-11-20T09:30:00Z`) or basic (`20261120T093000Z`) format, with up to 12
 * decimals, or cut to the minute or the day. A time without a zone is in UTC.
 */

const DATE = String.raw`(?<year>\d{4})-?(?<month>\d{2})-?(?<day>\d{2})`;
const TIME = String.raw`(?<hour>\d{2}):?(?<minute>\d{2})(?::?(?<second>\d{2})(?:[.,](?<fraction>\d{1,12}))?)?`;
const ZONE = String.raw`(?<zone>Z|(?<sign>[+-])(?<zoneHour>\d{2})(?::?(?<zoneMinute>\d{2}))?)`;
const ISO_8601 = new RegExp(`^${DATE}(?:[Tt]${TIME}${ZONE}?)?$`, 'i');

const MINUTE_MS = 60_000;

/**
 * The time in UTC with milliseconds, `2026-11-20T09:30:00.000Z`; undefined for any other text, and outside the years
 * 0001 to 9999.
 */
export const instantOf = (text: string): string | undefined => inMilliseconds(text, 'cut');

/**
 * The same as a bound of times that have milliseconds: a time between two of them becomes the later one. So a time is
 * before the bound, or not, exactly where it is before the time of the text, or not.
 */
export const boundOf = (text: string): string | undefined => inMilliseconds(text, 'raised');

/** @param rest what becomes of decimals below a millisecond */
function inMilliseconds(text: string, rest: 'cut' | 'raised'): string | undefined {
  const parts = ISO_8601.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const {
    year,
    month,
    day,
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    sign,
    zoneHour = '00',
    zoneMinute = '00',
  } = parts;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const time = new Date(local);
  // `Date` reads the 30th of February as the 2nd of March.
  if (Number.isNaN(time.getTime()) || time.toISOString() !== local || Number(zoneHour) > 23 || Number(zoneMinute) > 59)
    return undefined;
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  const raised = rest === 'raised' && /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  const instant = new Date(time.getTime() - offset + raised).toISOString();
  // The types of dates in many languages begin with the year 1.
  return /^(?!0000)\d{4}-/.test(instant) ? instant : undefined;
}

/** A date as `2026-11-20`, or a time as {@link instantOf} returns it; undefined for any other text. */
export function dateOrInstantOf(text: string): string | undefined {
  const instant = instantOf(text);
  return /t/i.test(text) ? instant : instant?.slice(0, DATE_LENGTH);
}

const DATE_LENGTH = 10;
