import { createHash } from 'node:crypto';
import document from '../../openapi.json' with { type: 'json' };
import { documentText } from '../../shared/contract/openapi/text.ts';

/**
 * The committed `openapi.json`, by a JSON import, which both Node and esbuild support. Serialized again as by `npm run docs`, it has the same
 * bytes (`test/http/openapi.test.ts` compares them).
 */
const text = documentText(document);

export const committed = {
  text,
  /** Strong: a digest of the bytes (RFC 9110 §8.8.3). */
  etag: `"${createHash('sha256').update(text).digest('base64url')}"`,
} as const;
