import { jsonOf } from '../well-formed.ts';

/** JWTs in their compact form, before anything of them is verified. */

type Parts = readonly [header: string, payload: string, signature: string];

/**
 * The three parts of a token; undefined for another text.
 * @param longest in characters: of longer texts nothing is decoded
 */
export function partsOf(token: string, longest: number): Parts | undefined {
  if (token.length > longest) return undefined;
  const [header = '', payload = '', signature = '', ...others] = token.split('.');
  const parts = [header, payload, signature] as const;
  return others.length === 0 && parts.every(isBase64Url) ? parts : undefined;
}

/**
 * Exactly base64url (RFC 7515 §2). Node also decodes padding, white space, `+` and `/`, and unused bits that are set.
 */
const isBase64Url = (part: string): boolean =>
  part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;

/** The JSON of a header or a payload; undefined for another text. */
export const decoded = (part: string): unknown => jsonOf(Buffer.from(part, 'base64url').toString());
