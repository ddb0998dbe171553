import type { Route } from '#contract';
import type { ResponseHeader } from './headers.ts';

/** What the document says of deprecated routes and query parameters (`docs/versioning.md`). */

/** Since when something is deprecated, until when it works, and where it says what to use instead. */
export const deprecationSentence = ({ since, sunset, link }: NonNullable<Route['deprecated']>): string =>
  `Deprecated since ${since}${sunset === undefined ? '' : `, ends on ${sunset}`}: see ${link}.`;

/** Whether responses of a route may say that something is deprecated. */
export const hasDeprecations = ({ deprecated, deprecatedParameters = {} }: Route): boolean =>
  deprecated !== undefined || Object.keys(deprecatedParameters).length > 0;

export const DEPRECATION_HEADERS = ['Deprecation', 'Sunset'] as const satisfies readonly ResponseHeader[];
