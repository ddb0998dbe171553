/** Deprecation of routes and query parameters (`docs/versioning.md`): declared in a contract, named in the OpenAPI document and in every response. */

export interface Deprecation {
  /** Day from which it should not be used in new code: `2026-11-20`. */
  readonly since: string;
  /** Day on which it ends, at least {@link NOTICE_DAYS} later; undefined while no day is set. */
  readonly sunset?: string;
  /** Where it says what to use instead: an absolute URL, or a path of this API. */
  readonly link: string;
}

/** What a route declares. It is kept apart from the schemas, which not every request builds. */
export interface Deprecations {
  /** The whole route. */
  readonly deprecated?: Deprecation;
  /** Query parameters, by name. */
  readonly deprecatedParameters?: Readonly<Record<string, Deprecation>>;
}

/** How long a deprecated thing stays at least, in days. */
const NOTICE_DAYS = 180;

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const LINK = /^(https:\/\/|\/)[\x21\x23-\x3b\x3d\x3f-\x7e]+$/;

/** Midnight in UTC, in epoch milliseconds. */
const timeOf = (day: string): number => (DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN);

/** All that a route declares. */
const deprecationsOf = ({ deprecated, deprecatedParameters = {} }: Deprecations): readonly Deprecation[] => [
  ...(deprecated === undefined ? [] : [deprecated]),
  ...Object.values(deprecatedParameters),
];

/** @throws TypeError for days or links that do not fit */
export function assertDeprecations(route: Deprecations, of: string): void {
  for (const { since, sunset, link } of deprecationsOf(route)) {
    const [begin, end] = [timeOf(since), sunset === undefined ? undefined : timeOf(sunset)];
    if (Number.isNaN(begin) || Number.isNaN(end)) throw new TypeError(`${of}: write days as 2026-11-20`);
    if (end !== undefined && end < begin + NOTICE_DAYS * DAY_MS) {
      throw new TypeError(`${of}: what is deprecated stays for ${NOTICE_DAYS} days at least`);
    }
    if (!LINK.test(link)) throw new TypeError(`${of}: link to an https address or a path`);
  }
}

/**
 * The headers for a request that uses these query parameters: the earliest days and every link of the deprecations that it meets. `Deprecation` is a
 * date of structured fields (RFC 9745 §2), `Sunset` an HTTP date (RFC 8594 §3).
 */
export function deprecationHeaders(
  { deprecated, deprecatedParameters = {} }: Deprecations,
  used: readonly string[],
): Readonly<Record<string, string>> {
  const inUse = Object.entries(deprecatedParameters).filter(([name]) => used.includes(name));
  const met = deprecationsOf({ ...(deprecated && { deprecated }), deprecatedParameters: Object.fromEntries(inUse) });
  if (met.length === 0) return {};
  const sunsets = met.flatMap(({ sunset }) => (sunset === undefined ? [] : [timeOf(sunset)]));
  return {
    Deprecation: `@${Math.min(...met.map(({ since }) => timeOf(since))) / 1000}`,
    ...(sunsets.length === 0 ? {} : { Sunset: new Date(Math.min(...sunsets)).toUTCString() }),
    Link: [...new Set(met.map(({ link }) => `<${link}>; rel="deprecation"`))].join(', '),
  };
}
