import type { Operation } from './document.ts';

/** What an operation takes of its caller's request budget (`docs/decisions/0081-request-budgets.md`). */

/** The section that explains how requests are counted. */
export const COST = 'cost';

/** `1 request`, and when it is more. */
export function costOf({ access, responses, body }: Operation): string {
  if (access === 'none') return 'none: it needs no token';
  const isList = responses.some(({ content }) => content.some(({ schema }) => schema.$ref?.match(/(Page|List)$/)));
  if (isList) return '1 request, more for a page of large records';
  if (body !== undefined) return '1 request, more for large bodies';
  return '1 request';
}

export const COST_GUIDE = `Each integration has a budget of requests a minute, and all integrations of an organization have one together. An operation
takes **1 request**. One with much work takes 1 more for each further 100 units of the database that it needs: reading takes up to 1 unit for each 4 KB,
a change at least 2 for each KB that it writes. So a record of 50 KB, 25 log entries at once, or a page of 200 records of several KB each count as more than 1.
Operations that need no token take nothing. \`RateLimit\` and \`RateLimit-Policy\` of each response say what is left.`;
