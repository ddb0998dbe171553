import { createHash } from 'node:crypto';
import document from '../../openapi.json' with { type: 'json' };
import { documentText } from '../../shared/contract/openapi/text.ts';

/**
 * The committed `openapi.json`. A JSON import is the one that both Node and esbuild understand; writing it again the way
 * `npm run docs` wrote it gives the same bytes (`test/http/openapi.test.ts` compares them).
 */
const text = documentText(document);

export const committed = {
  text,
  /** Strong: a digest of the bytes (RFC 9110 §8.8.3). */
  etag: `"${createHash('sha256').update(text).digest('base64url')}"`,
} as const;
