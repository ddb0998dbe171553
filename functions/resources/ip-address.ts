import * as z from 'zod';
import * as field from '#contract/field';

const LONGEST = 45;

/** For the document: client generators make code that does not compile of `anyOf` with two formats. */
const pattern = () => `${z.regexes.ipv4.source}|${z.regexes.ipv6.source}`;

/** An IPv4 or IPv6 address, without a prefix length or zone. */
export const ipAddress = () =>
  field
    .text(LONGEST)
    .refine((value) => z.ipv4().safeParse(value).success || z.ipv6().safeParse(value).success, {
      error: 'must be an IPv4 or IPv6 address',
    })
    .meta(field.shownAs({ type: 'string', maxLength: LONGEST, pattern: pattern() }));
