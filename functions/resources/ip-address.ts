import * as z from 'zod';
import * as field from '#contract/field';

const LONGEST = 45;

/** For the document: generated clients do not compile where `anyOf` has two formats (`docs/clients.md`). */
const pattern = () => `${z.regexes.ipv4.source}|${z.regexes.ipv6.source}`;

/** An IPv4 or IPv6 address, without a prefix length or zone. */
export const ipAddress = () =>
  field
    .text(LONGEST)
    .refine((value) => z.ipv4().safeParse(value).success || z.ipv6().safeParse(value).success, {
      error: 'must be an IPv4 or IPv6 address',
    })
    .meta(field.shownAs({ type: 'string', maxLength: LONGEST, pattern: pattern() }));
